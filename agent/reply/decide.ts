import type { PlannedAction, TurnDecision } from '../calls.ts';
import { checkDecision } from './check-decision.ts';
import { type AgentKind, type ParsedReply, OutputParserError, type ParsedAction } from '../kinds/kind.ts';
import { limits } from '../limits.ts';
import type { AgentManifest } from '../manifest.ts';
import { CUT_REPLY, INCOMPLETE_REPLY, unknownTool } from '../observations.ts';
import { cutAtStop } from './stop.ts';
import { boundedText, plainJson, wellFormed } from '../values.ts';
import { EXCEPTION_TOOL, type Json, type ToolCall } from '../vocabulary.ts';

/** A reply as it came, before anything was cut. */
export interface RawReply {
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
}

/** How an agent's replies are read: its kind, or its own parser in the kind's place. */
export interface ReplyReader {
  parse: AgentKind['parse'];
  /** The answer as the agent's `output` schema wants it. Throws {@link OutputParserError}. */
  checkOutput?: ((output: Json) => Json) | undefined;
  /** The limit was reached: whatever is said is the answer. */
  closing?: boolean | undefined;
}

/** What a reply means, and its text cut at the first stop string. */
export function decide(
  reader: ReplyReader,
  manifest: AgentManifest,
  reply: RawReply,
): { text: string; decision: TurnDecision } {
  const { text, stop } = cutAtStop(reply.text, manifest.stop);
  // A text that ended at a stop string is complete, even where the server was cut off later.
  const incomplete = reply.finishReason === 'length' && stop === undefined;
  try {
    const parsed = checkDecision(reader.parse({ text, toolCalls: reply.toolCalls }, manifest), text);
    if (reader.closing === true) return { text, decision: closingAnswer(reader, parsed, text, manifest) };
    if (parsed.type === 'finish') return { text, decision: finish(reader, parsed, text) };
    if (incomplete) throw cutOff();
    const unreadable = parsed.actions.find((action) => action.unreadable !== undefined)?.unreadable;
    if (unreadable !== undefined && manifest.handleParsingErrors === false) {
      throw new OutputParserError(unreadable);
    }
    return {
      text,
      decision: { type: 'act', actions: parsed.actions.map((action) => plan(action, manifest, text)) },
    };
  } catch (error) {
    if (!isOutputParserError(error)) throw error;
    if (reader.closing === true) return { text, decision: failed(error, '') };
    return { text, decision: parseFailure(incomplete ? cutOff() : error, manifest, text) };
  }
}

/** By name: a parser of the user's own may bring another copy of the class. */
function isOutputParserError(error: unknown): error is OutputParserError {
  return error instanceof Error && error.name === 'OutputParserError';
}

type Finish = Extract<ParsedReply, { type: 'finish' }>;

function finish({ checkOutput }: ReplyReader, { output, log }: Finish, text: string): TurnDecision {
  const checked = checkOutput === undefined ? output : plainJson(checkOutput(output));
  return { type: 'finish', output: checked, ...logOf(log, text) };
}

/** As LangChain's 'generate': an answer is the answer, and of anything else the reply itself. */
function closingAnswer(
  reader: ReplyReader,
  parsed: ParsedReply,
  text: string,
  { stoppedOutput }: AgentManifest,
): TurnDecision {
  // Native calls may come without a word.
  if (parsed.type === 'act') return { type: 'finish', output: text === '' ? stoppedOutput : text };
  try {
    return finish(reader, parsed, text);
  } catch (error) {
    if (!isOutputParserError(error)) throw error;
    return { type: 'finish', output: parsed.output };
  }
}

/** An action whose observation is known without running anything carries it. */
function plan(
  { tool, toolInput, log, toolCallId, unreadable }: ParsedAction,
  manifest: AgentManifest,
  text: string,
): PlannedAction {
  if (unreadable !== undefined) {
    return { ...exceptionStep(new OutputParserError(unreadable), manifest, text), toolCallId };
  }
  const names = manifest.tools.map(({ name }) => name);
  return {
    tool,
    toolInput,
    toolCallId,
    ...logOf(log, text),
    observation: names.includes(tool) ? undefined : unknownTool(tool, names),
  };
}

function cutOff(): OutputParserError {
  return new OutputParserError('It was cut off at the token limit (maxTokens)', CUT_REPLY);
}

function parseFailure(error: OutputParserError, manifest: AgentManifest, text: string): TurnDecision {
  if (manifest.handleParsingErrors === false) return failed(error);
  return { type: 'act', actions: [exceptionStep(error, manifest, text)] };
}

const ADVICE = ' Set handleParsingErrors to tell the model and go on.';

function failed({ message }: OutputParserError, advice = ADVICE): TurnDecision {
  const cause = boundedText(message, limits.errorChars).replace(/\.$/u, '');
  return {
    type: 'fail',
    error: { type: 'OutputParserError', message: `The model's reply could not be read: ${cause}.${advice}` },
  };
}

/**
 * AgentExecutor's handle_parsing_errors: a step of the tool `_Exception`. Where the parser knows what is missing the log
 * keeps the reply; else the model sees the error's message instead.
 */
function exceptionStep(
  error: OutputParserError,
  { handleParsingErrors }: AgentManifest,
  text: string,
): PlannedAction {
  const said = typeof handleParsingErrors === 'string' ? handleParsingErrors : undefined;
  const known = said === undefined && error.observation !== undefined;
  const observation = wellFormed(said ?? error.observation ?? INCOMPLETE_REPLY);
  const action = { tool: EXCEPTION_TOOL, toolInput: observation, observation };
  return { ...action, ...logOf(known ? text : wellFormed(error.message), text) };
}

function logOf(log: string, text: string): { log?: string } {
  return log === text ? {} : { log };
}
