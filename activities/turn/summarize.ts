import { ApplicationFailure } from '@temporalio/activity';
import { contentText } from '../../agent/values/content.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { usageOf } from '../../agent/definition/price.ts';
import { summaryParams } from '../../agent/transcript/summary-request.ts';
import type { SummarizeInput, Summarized } from '../../agent/session/session.ts';
import { limits } from '../../agent/values/limits.ts';
import { wholeCharacters } from '../../agent/values/values.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { ModelReply } from '../../adapters/models/model.ts';
import { type Attempt, runAttempt } from '../attempt/attempt.ts';
import { callHooks } from '../hooks/run-hook.ts';
import { askInTurn } from '../model/ask-in-turn.ts';
import { modelPolicy } from '../model/ask-model.ts';
import { betweenHooks } from '../model/model-hooks.ts';
import { modelOf } from '../model/model-of.ts';
import type { Dependencies } from '../dependencies.ts';
import { currentManifest } from '../run/resolve-agent.ts';

/** A summary is shorter than its source; a model that does not stop is cut here. */
const SUMMARY_CHARS = 20_000;

/** Name of the call, for the model and for hooks. */
const STEP = 'summary';

/** Sums up the older turns of a session, with the agent's own model, retried like its other calls. */
export function createSummarizeConversation(dependencies: Dependencies) {
  return async (input: SummarizeInput): Promise<Summarized> => {
    const manifest = currentManifest(dependencies, input.agent, input.overrides);
    return runAttempt(
      () => modelPolicy(manifest),
      (attempt) => ask(dependencies, manifest, input, attempt),
    );
  };
}

async function ask(
  dependencies: Dependencies,
  manifest: AgentManifest,
  input: SummarizeInput,
  attempt: Attempt,
): Promise<Summarized> {
  const { clock, context, signal, heartbeat } = attempt;
  const own = callHooks(dependencies, manifest, attempt, manifest.modelRetry);
  const hooks = own && { ...own, context: { ...own.context, callId: STEP } };
  const prompt = { type: 'text', text: summaryPrompt(input) } as const;
  const params = summaryParams(manifest.params);
  const request = { model: manifest.model, prompt, stop: [], params };
  const call = {
    signal,
    onText: (piece: string) => {
      if (hooks?.hooks.afterModel !== undefined) return;
      heartbeat.set({ text: `${heartbeat.record.text ?? ''}${piece}`.slice(0, SUMMARY_CHARS) });
    },
    step: STEP,
    runId: context.info.workflowExecution?.runId ?? '',
  };
  clock.restart(limits.timerMs); // each model and each hook has its own time
  const {
    reply,
    by,
    changes = [],
  } = await betweenHooks(hooks, request, async (sent) => {
    const { answer, ...asked } = await askInTurn(manifest, signal, (one) => {
      heartbeat.set({ text: '' });
      return modelOf(dependencies, manifest, one, attempt).call({ ...sent, model: one.model }, call);
    });
    return { ...asked, reply: answer };
  });
  const lengths = { prompt: prompt.text.length, reply: reply.text.length };
  const usage = usageOf(reply.usage, 1, by.price, lengths);
  return { summary: summaryIn(reply), usage, ...(changes.length > 0 && { changes }) };
}

/**
 * The summary in a reply. Throws if it is absent, cut, or a call of a tool; then the model is asked again. A
 * summary replaces what it sums up, and half of it would be all that is left.
 */
export function summaryIn({ text, finishReason, toolCalls }: ModelReply): string {
  const summary = wholeCharacters(text.trim().slice(0, SUMMARY_CHARS));
  const problem =
    finishReason === 'length'
      ? 'The summary was cut at the token limit of the model'
      : finishReason === 'content_filter'
        ? "The provider's content filter ended the summary"
        : toolCalls.length > 0
          ? 'The model called a tool when it was asked for a summary'
          : summary === ''
            ? 'The model answered with nothing when it was asked for a summary'
            : undefined;
  if (problem === undefined) return summary;
  throw ApplicationFailure.create({ type: 'EmptySummary', message: `${problem}.` });
}

/** The request for a summary. Exported for its test. */
export function summaryPrompt({ summary, turns }: Pick<SummarizeInput, 'summary' | 'turns'>): string {
  return [
    'You keep the notes of a conversation between a person and an assistant. Write down what has to be known to continue it: names, facts, wishes, decisions, what is still open. Use the language of the conversation. Be brief, invent nothing, and write the notes only.',
    ...(summary === null ? [] : [`The notes so far, which yours replace:\n${summary}`]),
    `What was said since:\n${turns.map(said).join('\n')}`,
    'The new notes:',
  ].join('\n\n');
}

function said({ role, content }: ChatMessage): string {
  return `${role === 'user' ? 'Person' : 'Assistant'}: ${contentText(content)}`;
}
