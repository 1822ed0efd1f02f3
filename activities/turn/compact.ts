import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { isOneOfSeveral } from '../../agent/definition/handed-over.ts';
import type { AgentManifest, CompactionManifest } from '../../agent/definition/manifest.ts';
import { CHARS_PER_TOKEN } from '../../agent/definition/price.ts';
import { type PromptSize, conversationBefore, keptTurns } from '../../agent/transcript/compaction.ts';
import { type PromptCount, nextCount } from '../../agent/transcript/prompt-count.ts';
import { renderSummaryRequest } from '../../agent/transcript/summary-request.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { hasMedia, withoutTools } from '../../agent/transcript/request.ts';
import { turnStarts } from '../../agent/transcript/visible.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ModelExchange, askModel, personsReply } from '../model/ask-model.ts';
import { lengthsOf } from '../model/lengths.ts';
import type { StoredMedia } from '../model/stored-media.ts';
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
  media: StoredMedia,
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
      ? await askModel(dependencies, kind, context, attempt, media, render)
      : personsReply(kind, context, reply, renderSummaryRequest);
  return { text: summaryIn(asked.reply), decision: { type: 'compact', keep }, asked };
}

/**
 * The size of the prompt after a reply: the provider's count, or an estimate from the text where the provider has not counted; the
 * larger one where the provider leaves out parts of the prompt. A prompt that had to be shortened fills the window.
 */
export function sizeAfter(
  entries: readonly Entry[],
  asked: ModelExchange,
  compaction: CompactionManifest,
  leavesOut = false,
): PromptSize {
  const counted = tokensOf(asked);
  const size = leavesOut ? Math.max(counted, estimateOf(asked)) : counted;
  const tokens = asked.shortened ? Math.max(compaction.window, size) : size;
  return { tokens, turns: turnStarts(entries).length + 1 };
}

function tokensOf(asked: ModelExchange): number {
  const { promptTokens = 0, completionTokens = 0 } = asked.reply.usage ?? {};
  return promptTokens > 0 ? promptTokens + completionTokens : estimateOf(asked);
}

function estimateOf(asked: ModelExchange): number {
  return promptEstimate(asked) + Math.ceil(lengthsOf(asked).reply / CHARS_PER_TOKEN);
}

function promptEstimate(asked: ModelExchange): number {
  const { prompt } = asked.request;
  const tools = prompt.type === 'messages' ? JSON.stringify(prompt.tools ?? []).length : 0;
  return Math.ceil((lengthsOf(asked).prompt + tools) / CHARS_PER_TOKEN);
}

/** The server's count of a prompt, for the run's next call. Images, cached tokens and hooks make a count that says nothing. */
export function countAfter(
  manifest: AgentManifest,
  asked: ModelExchange,
  before: PromptCount | undefined,
): PromptCount | undefined {
  const { promptTokens = 0, cachedTokens = 0 } = asked.reply.usage ?? {};
  const isOther = asked.changes?.length !== undefined && asked.changes.length > 0;
  if (asked.modelCalls === 0 || cachedTokens > 0 || isOther || hasMedia(asked.request)) return before;
  const { name, fallbacks } = manifest;
  const { adapter, model } = asked.by;
  const isOne = fallbacks === undefined && !isOneOfSeveral(manifest);
  const by = isOne ? undefined : [name, adapter, model].join(' ');
  return nextCount(before, { by, tokens: promptTokens, estimate: promptEstimate(asked) });
}
