import { isOneOfSeveral, modelKey } from '../definition/handed-over.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { ReplyEntry } from '../transcript/entries.ts';
import type { ModelTurn } from './calls.ts';

/** A reply that called tools, as prompts repeat it. What the model thought goes along only where its provider wants it back. */
export function replyEntry(
  { text, toolCalls, reasoning, providerData }: Omit<ModelTurn, 'decision'>,
  call: string,
  manifest: AgentManifest,
): ReplyEntry | undefined {
  if (toolCalls === undefined) return undefined;
  const reply = { type: 'reply', call, text, toolCalls } as const;
  if (providerData === undefined) return reply;
  const by = isOneOfSeveral(manifest) ? { by: modelKey(manifest) } : {};
  return { ...reply, reasoning, providerData, ...by };
}
