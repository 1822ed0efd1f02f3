import type { TurnDecision } from '../../agent/calls/calls.ts';
import type { Repeat } from '../../agent/calls/for-next-call.ts';
import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { schemaProblem } from '../../agent/rules/fits-schema.ts';
import { limits } from '../../agent/values/limits.ts';
import { capOutput } from '../../agent/observation/output.ts';
import { type RawReply, type ReplyReader, decide } from '../../agent/reply/decide.ts';
import { withHandoffs } from '../../agent/reply/handoff-actions.ts';
import { limitRepeats } from '../../agent/reply/repeats.ts';
import { boundedText } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type Dependencies, notConfigured } from '../dependencies.ts';
import { runUserCode } from '../attempt/user-code.ts';
import { objectInput } from '../../adapters/tools/json-input.ts';
import { type Tool, ToolInputError } from '../../adapters/tools/tool.ts';

/** The parts of a worker's config that reading a reply takes. */
export type ReplyParts = Pick<Dependencies, 'parser' | 'checkOutput' | 'tools'>;

/** The agent's decision in a reply, with all its rules applied; `before` is the agent's last decision. */
export function readDecision(
  parts: ReplyParts,
  kind: AgentKind,
  context: PromptContext,
  reply: RawReply,
  before: Repeat | undefined,
): { text: string; decision: TurnDecision; repeat: Repeat | undefined } {
  const { manifest } = context;
  const reader = readerOf(parts, kind, context);
  const { text, decision } = runUserCode(manifest, () => decide(reader, manifest, reply));
  const limited = limitRepeats(decision, manifest.repeatLimit, before);
  const checked = checkRemoteInputs(parts, manifest, limited.decision);
  return { text, decision: withHandoffs(checked, manifest.tools), repeat: limited.repeat };
}

function readerOf(parts: ReplyParts, kind: AgentKind, { manifest, closing }: PromptContext): ReplyReader {
  const parse = manifest.parser === true ? parts.parser(manifest.name) : kind.parse;
  if (parse === undefined) {
    throw notConfigured(
      'ParserNotConfigured',
      `Agent "${manifest.name}" was started with its own parser`,
      [],
    );
  }
  const { output } = manifest;
  const checkOutput = output === undefined ? undefined : (value: Json) => parts.checkOutput(manifest, value);
  return { parse, closing, checkOutput };
}

/** Checks inputs of tools that run outside of this worker: if one does not fit, the model gets an error, and nothing is scheduled. */
function checkRemoteInputs(
  { tools }: ReplyParts,
  manifest: AgentManifest,
  decision: TurnDecision,
): TurnDecision {
  if (decision.type !== 'act') return decision;
  const actions = decision.actions.map((action) => {
    const parse = remoteInput(
      manifest.tools.find(({ name }) => name === action.tool),
      tools.get(action.tool),
    );
    if (parse === undefined || action.observation !== undefined) return action;
    try {
      return { ...action, toolInput: capOutput(parse(action.toolInput), Infinity, limits.replyBytes) };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ToolInputError') throw error;
      return { ...action, observation: boundedText(error.message, limits.errorChars) };
    }
  });
  return { type: 'act', actions };
}

/** Returns the check of a remote tool's input. A tool of the run's caller may have the name of another agent's tool. */
function remoteInput(
  of: ToolManifest | undefined,
  tool: Tool | undefined,
): ((input: Json) => unknown) | undefined {
  if (of?.client === true) return (input) => clientInput(of, input);
  return tool?.remote === undefined ? undefined : (input) => tool.parseInput(input);
}

function clientInput({ name, inputSchema }: ToolManifest, input: Json): Json {
  const schema = inputSchema ?? {};
  const read = objectInput(name, schema, input);
  const problem = schemaProblem(schema, read);
  if (problem === undefined) return read;
  throw new ToolInputError(`${name}: this input does not fit: ${problem}.`);
}
