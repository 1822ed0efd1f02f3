import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import type { CompactionManifest } from '../../agent/definition/manifest.ts';
import { CHARS_PER_TOKEN } from '../../agent/definition/price.ts';
import { type PromptSize, conversationBefore, keptTurns } from '../../agent/transcript/compaction.ts';
import { renderSummaryRequest } from '../../agent/transcript/summary-request.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { withoutTools } from '../../agent/transcript/request.ts';
import { turnStarts } from '../../agent/transcript/visible.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ModelExchange, askModel, personsReply } from '../model/ask-model.ts';
import { lengthsOf } from '../model/lengths.ts';
import type { StoredImages } from '../model/stored-images.ts';
import { summaryIn } from './summarize.ts';

interface Summary extends Pick<ModelTurn, 'text' | 'decision'> {
  asked: ModelExchange;
}

/** Asks the agent's model for a summary of all turns but the last ones; a person may have given the summary. */
export async function askSummary(
  dependencies: Dependencies,
  kind: AgentKind,
  entries: readonly Entry[],
  attempt: Attempt,
  images: StoredImages,
  { reply }: Pick<CallModelInput, 'reply'>,
): Promise<Summary> {
  const { compaction } = conversation(entries).manifest;
  if (compaction === undefined) throw new Error('The agent has no compaction.');
  const keep = keptTurns(entries, compaction);
  const context = conversationBefore(entries, keep);
  const render: typeof renderSummaryRequest = (...args) => {
    const request = renderSummaryRequest(...args);
    return attempt.context.info.attempt > 1 ? withoutTools(request) : request;
  };
  const asked =
    reply === undefined
      ? await askModel(dependencies, kind, context, attempt, images, render)
      : personsReply(kind, context, reply, renderSummaryRequest);
  return { text: summaryIn(asked.reply), decision: { type: 'compact', keep }, asked };
}

/**
 * The size of the prompt after a reply: the provider's count, or an estimate from the text where the provider has not counted.
 * A prompt that had to be shortened fills the window.
 */
export function sizeAfter(
  entries: readonly Entry[],
  asked: ModelExchange,
  compaction: CompactionManifest,
): PromptSize {
  const tokens = asked.shortened ? Math.max(compaction.window, tokensOf(asked)) : tokensOf(asked);
  return { tokens, turns: turnStarts(entries).length + 1 };
}

function tokensOf(asked: ModelExchange): number {
  const { promptTokens = 0, completionTokens = 0 } = asked.reply.usage ?? {};
  if (promptTokens > 0) return promptTokens + completionTokens;
  const { prompt: sent } = asked.request;
  const tools = sent.type === 'messages' ? JSON.stringify(sent.tools ?? []).length : 0;
  const { prompt, reply } = lengthsOf(asked);
  return Math.ceil((prompt + tools + reply) / CHARS_PER_TOKEN);
}
