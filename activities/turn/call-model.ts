import { ApplicationFailure } from '@temporalio/activity';
import {
  type CallModelInput,
  type ModelTurn,
  parseActivityId,
  withoutSchedule,
} from '../../agent/calls/calls.ts';
import { clientToolsOf } from '../../agent/definition/client-tools.ts';
import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import { isOneOfSeveral } from '../../agent/definition/handed-over.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { usageOf } from '../../agent/definition/price.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import {
  renderRequest,
  requestDigest,
  unshownMedia,
  unshownMessages,
  withoutTools,
} from '../../agent/transcript/request.ts';
import type { PromptCount } from '../../agent/transcript/prompt-count.ts';
import type { Usage } from '../../agent/values/vocabulary.ts';
import { type ModelExchange, askModel, modelPolicy, personsReply } from '../model/ask-model.ts';
import { type ApprovalContext, withApprovals } from '../tool/approval-check.ts';
import { callHooks } from '../hooks/run-hook.ts';
import { beforeTools } from '../tool/tool-hooks.ts';
import { type Attempt, type AttemptPolicy, effortOf, runAttempt } from '../attempt/attempt.ts';
import { type TurnPlace, runInlineCalls } from './inline-calls.ts';
import { type Dependencies, notConfigured } from '../dependencies.ts';
import { classifyError } from '../attempt/errors.ts';
import { failAfterDeaths } from '../attempt/worker-deaths.ts';
import type { Observations } from '../run/observations.ts';
import { askSummary, countAfter, sizeAfter } from './compact.ts';
import { lengthsOf } from '../model/lengths.ts';
import { readDecision } from '../model/read-decision.ts';
import type { StoredMedia } from '../model/stored-media.ts';
import type { Transcripts } from '../run/transcripts.ts';

/** Renders the prompt, asks the model, reads the reply: all that a parser or prompt fix may change without breaking a replay. */
export function createCallModel(
  dependencies: Dependencies,
  transcripts: Transcripts,
  observations: Observations,
  media: StoredMedia,
) {
  return async (input: CallModelInput): Promise<ModelTurn> => {
    let policy = beforeManifest;
    return runAttempt(
      () => policy,
      async (attempt) => {
        const { mark, entries } = await transcripts.open(attempt.context, input);
        const context = conversation(entries, input.closing === true);
        const { manifest } = context;
        policy = modelPolicy(manifest);
        if (manifest.holdsBack === true) failAfterDeaths(attempt, manifest.modelRetry);

        const kind = kindOf(dependencies, manifest);
        const { digest } = mark;
        if (input.compact === true) {
          const { asked, ...summary } = await askSummary(dependencies, kind, entries, attempt, media, input);
          const { changes = [] } = asked;
          const facts = factsOf(asked, input, manifest, attempt);
          return { digest, ...summary, ...facts, ...(changes.length > 0 && { changes }) };
        }
        const asked =
          input.reply === undefined
            ? await askForTurn(dependencies, kind, context, attempt, media)
            : personsReply(kind, context, input.reply);
        const { reply } = asked;

        const {
          text,
          decision: read,
          repeat,
        } = readDecision(dependencies, kind, context, reply, input.repeat);
        const tools = toolsOf(dependencies, manifest);
        const hooks = callHooks(dependencies, manifest, attempt, manifest.modelRetry);
        const hooked = await beforeTools(hooks, tools, read);
        const decision = await withApprovals(tools, hooked.decision, decidedBy(attempt, manifest));
        const place = input.root === undefined ? undefined : turnPlace(attempt, input, input.root, manifest);
        const inlineCalls =
          place && (await runInlineCalls(tools, decision, place, attempt, observations, hooks));
        const changes = [...(asked.changes ?? []), ...hooked.changes];
        const facts = factsOf(asked, input, manifest, attempt);
        const count = countAfter(manifest, asked, input.count);
        const leavesOut = count?.leftOut === true;
        const isNews = leavesOut && input.count?.leftOut !== true;
        return {
          digest,
          text,
          toolCalls: reply.toolCalls.length === 0 ? undefined : reply.toolCalls,
          providerData: reply.providerData,
          decision,
          repeat,
          size: manifest.compaction && sizeAfter(entries, asked, manifest.compaction, leavesOut),
          count: count === input.count ? undefined : count,
          made: inlineCalls,
          ...facts,
          warnings: warningsOf(context, facts.usage, asked, isNews ? count : undefined),
          ...(changes.length > 0 && { changes }),
        };
      },
    );
  };
}

/**
 * Asks the model. A closing answer that is only a call of a tool is asked for once more, without tools: some servers do not
 * know that the request forbids calls.
 */
async function askForTurn(
  dependencies: Dependencies,
  kind: AgentKind,
  context: PromptContext,
  attempt: Attempt,
  media: StoredMedia,
): Promise<ModelExchange> {
  const isFirst = attempt.context.info.attempt === 1;
  if (!context.closing || !isFirst) {
    const render: typeof renderRequest = (...args) => withoutTools(renderRequest(...args));
    return askModel(dependencies, kind, context, attempt, media, context.closing ? render : renderRequest);
  }
  const asked = await askModel(dependencies, kind, context, attempt, media);
  const { text, toolCalls } = asked.reply;
  const isCall = text.trim() === '' && toolCalls.length > 0;
  if (!isCall || context.manifest.modelRetry.maxAttempts === 1) return asked;
  throw ApplicationFailure.create({
    type: 'EmptyAnswer',
    message: 'The model was asked for its answer, and called a tool instead.',
  });
}

/** The facts of a turn that do not depend on what the model was asked for. */
function factsOf(asked: ModelExchange, input: CallModelInput, manifest: AgentManifest, attempt: Attempt) {
  const { reply, by, modelCalls, shortened, request } = asked;
  return {
    reasoning: reply.reasoning,
    finishReason: reply.finishReason,
    agent: isOneOfSeveral(manifest) ? manifest.name : undefined,
    answeredBy: answeredBy(asked, input, manifest),
    usage: usageOf(reply.usage, modelCalls, by.price, lengthsOf(asked)),
    warnings: reply.warnings,
    shortened: shortened || undefined,
    cached: (modelCalls === 0 && input.reply === undefined) || undefined,
    ...effortOf(attempt),
    request: requestDigest(request),
  };
}

/** Recorded for an agent with several models. */
function answeredBy(
  { by: { adapter, model } }: ModelExchange,
  { reply }: CallModelInput,
  { fallbacks }: AgentManifest,
): ModelTurn['answeredBy'] {
  return fallbacks === undefined || reply !== undefined ? undefined : { adapter, model };
}

function decidedBy({ context: { info } }: Attempt, manifest: AgentManifest): ApprovalContext {
  const call = withoutSchedule(info.activityId);
  return { manifest, call, run: info.workflowExecution?.workflowId ?? '' };
}

function turnPlace(
  { context: { info } }: Attempt,
  { scope, firstN = 0 }: CallModelInput,
  root: string,
  manifest: AgentManifest,
): TurnPlace {
  return { manifest, scope, root, firstN, step: parseActivityId(info.activityId)?.call ?? '' };
}

/** Warnings of the model, of missing token counts that a budget needs, and of messages that the kind leaves out. */
function warningsOf(
  context: PromptContext,
  usage: Usage,
  { request, reply: { usage: counted, warnings = [] } }: ModelExchange,
  leftOut: PromptCount | undefined,
): string[] | undefined {
  const { budget, kind } = context.manifest;
  const isGuessed = budget !== undefined && usage.uncountedCalls !== undefined;
  const unshown = unshownMessages(context, request).length;
  const unseen = unshownMedia(context, request);
  const all = [
    ...warnings,
    ...(isGuessed ? [uncounted(usage)] : []),
    ...(leftOut === undefined ? [] : [leftOutWarning(counted?.promptTokens ?? 0)]),
    ...(unshown === 0
      ? []
      : [
          `the kind "${kind}" did not show the model ${unshown} of the messages to this run (PromptContext.messages)`,
        ]),
    ...(unseen === 0
      ? []
      : [
          `the kind "${kind}" did not show the model ${unseen} of the question's images and files: their marks are in PromptContext.input`,
        ]),
  ];
  return all.length === 0 ? undefined : all;
}

function uncounted({ estimatedTokens = 0 }: Usage): string {
  return `the server did not say how many tokens this reply took: the budget reckons with ${estimatedTokens}, one for every four characters`;
}

function leftOutWarning(tokens: number): string {
  return `the server seems to leave out the beginning of the prompt, perhaps the question: it counts only ${tokens} tokens of it. Give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or the agent a compaction with the server's window`;
}

/** The policy until the transcript is there, which names the agent. */
const beforeManifest: AttemptPolicy = {
  retry: { maxAttempts: 10, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 10 * 60_000,
  classify: classifyError,
};

/** The config's tools, without those whose name a tool of the run's caller has in this agent. */
function toolsOf({ tools }: Dependencies, manifest: AgentManifest): Dependencies['tools'] {
  const brought = new Set(clientToolsOf(manifest).map(({ name }) => name));
  return brought.size === 0 ? tools : new Map([...tools].filter(([name]) => !brought.has(name)));
}

function kindOf({ kinds }: Dependencies, { kind, name }: AgentManifest): AgentKind {
  const found = kinds.get(kind);
  if (found !== undefined) return found;
  throw notConfigured('KindNotConfigured', `Agent "${name}" was started as kind "${kind}"`, [
    ...kinds.keys(),
  ]);
}
