import type { PlannedAction, TurnDecision } from './calls.ts';
import { type AgentKind, OutputParserError } from './kind.ts';
import type { AgentManifest } from './manifest.ts';
import { CUT_REPLY, INCOMPLETE_REPLY, unknownTool } from './observations.ts';
import { cutAtStop } from './stop.ts';
import { type AgentAction, EXCEPTION_TOOL, type ToolCall } from './vocabulary.ts';

/** A reply as it came, before anything was cut. */
export interface RawReply {
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
}

/** What a reply means, and its text cut at the first stop string. */
export function decide(
  kind: AgentKind,
  manifest: AgentManifest,
  reply: RawReply,
): { text: string; decision: TurnDecision } {
  const { text, stop } = cutAtStop(reply.text, manifest.stop);
  // What a stop string ended was whole, whatever the server cut later.
  const incomplete = reply.finishReason === 'length' && stop === undefined;
  try {
    const parsed = kind.parse({ text, toolCalls: reply.toolCalls }, manifest);
    if (parsed.type === 'finish') {
      return { text, decision: { type: 'finish', output: parsed.output, ...logOf(parsed.log, text) } };
    }
    if (incomplete) throw cutOff();
    return {
      text,
      decision: { type: 'act', actions: parsed.actions.map((action) => plan(action, manifest, text)) },
    };
  } catch (error) {
    if (!(error instanceof OutputParserError)) throw error;
    return { text, decision: parseFailure(incomplete ? cutOff() : error, manifest, text) };
  }
}

/** An action whose observation is known without running anything carries it. */
function plan({ tool, toolInput, log }: AgentAction, manifest: AgentManifest, text: string): PlannedAction {
  const names = manifest.tools.map(({ name }) => name);
  return {
    tool,
    toolInput,
    ...logOf(log, text),
    ...(names.includes(tool) ? {} : { observation: unknownTool(tool, names) }),
  };
}

function cutOff(): OutputParserError {
  return new OutputParserError('It was cut off at the token limit (maxTokens)', CUT_REPLY);
}

/**
 * AgentExecutor's handle_parsing_errors: a step of the tool `_Exception`. Where the parser knows what is missing the log
 * keeps the reply; else the model sees the error's message instead.
 */
function parseFailure(error: OutputParserError, manifest: AgentManifest, text: string): TurnDecision {
  const { handleParsingErrors } = manifest;
  if (handleParsingErrors === false) {
    const message = `The model's reply could not be read: ${error.message}. Set handleParsingErrors to tell the model and go on.`;
    return { type: 'fail', error: { type: 'OutputParserError', message } };
  }
  const known = handleParsingErrors === true && error.observation !== undefined;
  const observation =
    handleParsingErrors === true ? (error.observation ?? INCOMPLETE_REPLY) : handleParsingErrors;
  const action = { tool: EXCEPTION_TOOL, toolInput: observation, observation };
  return { type: 'act', actions: [{ ...action, ...logOf(known ? text : error.message, text) }] };
}

function logOf(log: string, text: string): { log?: string } {
  return log === text ? {} : { log };
}
