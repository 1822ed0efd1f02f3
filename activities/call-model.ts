import type { CallModelInput, ModelTurn, TurnDecision } from '../agent/calls.ts';
import type { AgentKind, PromptContext } from '../agent/kinds/kind.ts';
import { limits } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { capOutput } from '../agent/output.ts';
import { type ReplyReader, decide } from '../agent/reply/decide.ts';
import { limitRepeats } from '../agent/reply/repeats.ts';
import { conversation } from '../agent/transcript/entries.ts';
import { requestDigest } from '../agent/transcript/request.ts';
import { boundedText } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';
import { askModel, modelPolicy, personsReply } from './ask-model.ts';
import { type Decided, withApprovals } from './approval-check.ts';
import { type Attempt, type AttemptPolicy, laterAttempt, runAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';
import { classifyError } from './errors.ts';
import { missing, ownCode } from './own-code.ts';
import type { Transcripts } from './transcripts.ts';

/** Renders the prompt, asks the model, reads the reply: all that a parser or prompt fix may change without breaking a replay. */
export function createCallModel(dependencies: Dependencies, transcripts: Transcripts) {
  return async (input: CallModelInput): Promise<ModelTurn> => {
    let policy = beforeManifest;
    return runAttempt(
      () => policy,
      async (attempt) => {
        const { mark, entries } = await transcripts.open(attempt.context, input);
        const context = conversation(entries, input.closing === true);
        const { manifest } = context;
        policy = modelPolicy(manifest);

        const kind = kindOf(dependencies, manifest);
        const asked =
          input.reply === undefined
            ? await askModel(dependencies, kind, context, attempt)
            : personsReply(kind, context, input.reply);
        const { reply } = asked;

        const reader = readerOf(dependencies, kind, context);
        const { text, decision: decided } = ownCode(manifest, () => decide(reader, manifest, reply));
        const { decision: limited, repeat } = limitRepeats(decided, manifest.repeatLimit, input.repeat);
        const decision = await withApprovals(
          dependencies.tools,
          checkRemoteInputs(dependencies, limited),
          decidedBy(attempt, manifest),
        );
        return {
          digest: mark.digest,
          text,
          toolCalls: reply.toolCalls.length === 0 ? undefined : reply.toolCalls,
          decision,
          repeat,
          finishReason: reply.finishReason,
          usage: { ...reply.usage, modelCalls: asked.modelCalls },
          warnings: reply.warnings,
          shortened: asked.shortened || undefined,
          cached: (asked.modelCalls === 0 && input.reply === undefined) || undefined,
          ...laterAttempt(attempt),
          request: requestDigest(asked.request),
        };
      },
    );
  };
}

function decidedBy({ context: { info } }: Attempt, manifest: AgentManifest): Decided {
  const call = info.activityId.replace(/~\d+$/u, '');
  return { manifest, call, run: info.workflowExecution?.workflowId ?? '' };
}

function readerOf(
  dependencies: Dependencies,
  kind: AgentKind,
  { manifest, closing }: PromptContext,
): ReplyReader {
  const parse = manifest.parser === true ? dependencies.parser(manifest.name) : kind.parse;
  if (parse === undefined) {
    throw missing('ParserNotConfigured', `Agent "${manifest.name}" was started with a parser of its own`, []);
  }
  const { output } = manifest;
  const checkOutput =
    output === undefined ? undefined : (value: Json) => dependencies.checkOutput(manifest, value);
  return { parse, closing, checkOutput };
}

/** Inputs of other workers' tools are checked here: the model is told of one that does not fit, and nothing is scheduled. */
function checkRemoteInputs({ tools }: Dependencies, decision: TurnDecision): TurnDecision {
  if (decision.type !== 'act') return decision;
  const actions = decision.actions.map((action) => {
    const tool = tools.get(action.tool);
    if (tool?.remote === undefined || action.observation !== undefined) return action;
    try {
      return {
        ...action,
        toolInput: capOutput(tool.parseInput(action.toolInput), Infinity, limits.replyBytes),
      };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ToolInputError') throw error;
      return { ...action, observation: boundedText(error.message, limits.errorChars) };
    }
  });
  return { type: 'act', actions };
}

/** Until the transcript is there, which names the agent. */
const beforeManifest: AttemptPolicy = {
  retry: { maxAttempts: 10, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 10 * 60_000,
  classify: classifyError,
};

function kindOf({ kinds }: Dependencies, { kind, name }: AgentManifest): AgentKind {
  const found = kinds.get(kind);
  if (found !== undefined) return found;
  throw missing('KindNotConfigured', `Agent "${name}" was started as kind "${kind}"`, [...kinds.keys()]);
}
