import type { PlannedAction, TurnDecision } from '../calls/calls.ts';
import { freshCounters } from '../limits/counters.ts';
import { stopMessage } from '../limits/stop-message.ts';
import { checkDecision } from './check-decision.ts';
import {
  type AgentKind,
  type ParsedReply,
  OutputParserError,
  type ParsedAction,
} from '../definition/kind.ts';
import { isSilent } from '../model-reply/finish-reason.ts';
import { limits } from '../values/limits.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import { USE_TOOL, withShownTools } from '../definition/tool-search.ts';
import { isCallAsText } from './call-as-text.ts';
import {
  CALL_AS_TEXT,
  CUT_REPLY,
  INCOMPLETE_REPLY,
  USE_TOOL_FORM,
  emptyReply,
  unknownTool,
} from '../observation/observations.ts';
import { toolNamed } from '../prompt/tool-names.ts';
import { cutAtStop } from './stop.ts';
import { usedTool } from './used-tool.ts';
import { boundedText, plainJson, wellFormed } from '../values/values.ts';
import { EXCEPTION_TOOL, type Json, type ToolCall, type Truncation } from '../values/vocabulary.ts';

/** A reply as it came, before anything was cut. */
export interface RawReply {
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
  reasoning?: string | undefined;
  usage?: { completionTokens: number } | undefined;
}

/** Reader of an agent's replies: its kind, or its own parser in place of the kind's. */
export interface ReplyReader {
  parse: AgentKind['parse'];
  /** The answer as the agent's `output` schema wants it. Throws {@link OutputParserError}. */
  checkOutput?: ((output: Json) => Json) | undefined;
  /** The limit was reached: the reply is the answer, whatever its form. */
  closing?: boolean | undefined;
}

/** Decision in a reply, and the reply's text cut at the first stop string. */
export function decide(
  reader: ReplyReader,
  manifest: AgentManifest,
  reply: RawReply,
): { text: string; decision: TurnDecision } {
  const { text, stop } = cutAtStop(reply.text, manifest.stop);
  // A text that ended at a stop string is complete, even where the server was cut off later.
  const truncated = stop === undefined ? truncationIn(reply) : undefined;
  const incomplete = truncated === 'length';
  const isEmpty = isSilent(reply.text, reply.toolCalls.length);
  try {
    const parsed = checkDecision(reader.parse({ text, toolCalls: reply.toolCalls }, manifest), text);
    if (reader.closing === true) {
      return { text, decision: withTruncation(closingAnswer(reader, parsed, text, manifest), truncated) };
    }
    if (isEmpty && saysNothing(parsed)) throw nothingIn(reply, manifest);
    if (parsed.type === 'finish' && isCallAsText(parsed.output, manifest.tools)) {
      throw new OutputParserError(
        'It has a call of a tool as text, which the server did not read',
        CALL_AS_TEXT,
      );
    }
    if (parsed.type === 'finish') {
      return { text, decision: withTruncation(finish(reader, parsed, text), truncated) };
    }
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
    const cause = isEmpty ? emptyCause(error, reply, manifest) : incomplete ? cutOff() : error;
    return { text, decision: parseFailure(cause, manifest, text) };
  }
}

function truncationIn({ finishReason }: RawReply): Truncation | undefined {
  return finishReason === 'length' || finishReason === 'content_filter' ? finishReason : undefined;
}

/** Marks an answer that is not whole. JSON that could be read as a value is. */
function withTruncation(decision: TurnDecision, truncated: Truncation | undefined): TurnDecision {
  const isHalf = decision.type === 'finish' && typeof decision.output === 'string' && truncated !== undefined;
  return isHalf ? { ...decision, truncated } : decision;
}

/** Checks the name: a custom parser may bring another copy of the class. */
function isOutputParserError(error: unknown): error is OutputParserError {
  return error instanceof Error && error.name === 'OutputParserError';
}

type Finish = Extract<ParsedReply, { type: 'finish' }>;

function finish({ checkOutput }: ReplyReader, { output, log }: Finish, text: string): TurnDecision {
  const checked = checkOutput === undefined ? output : plainJson(checkOutput(output));
  return { type: 'finish', output: checked, ...logOf(log, text) };
}

/** The answer of a closing call, as in LangChain's 'generate': the answer in the reply, or the reply itself. */
function closingAnswer(
  reader: ReplyReader,
  parsed: ParsedReply,
  text: string,
  manifest: AgentManifest,
): TurnDecision {
  // Native calls may come without a text, and so may thoughts.
  const fixed = () => stopMessage(manifest, freshCounters(0), 'max_iterations');
  if (parsed.type === 'act') return { type: 'finish', output: text === '' ? fixed() : text };
  if (text.trim() === '' && saysNothing(parsed)) return { type: 'finish', output: fixed() };
  try {
    return finish(reader, parsed, text);
  } catch (error) {
    if (!isOutputParserError(error)) throw error;
    return { type: 'finish', output: parsed.output };
  }
}

/** An action whose observation is known without running anything carries it. */
function plan(parsed: ParsedAction, manifest: AgentManifest, text: string): PlannedAction {
  const { tool: written, toolInput, log, toolCallId, unreadable } = usedTool(parsed, manifest);
  if (unreadable !== undefined) {
    return { ...exceptionStep(new OutputParserError(unreadable), manifest, text), toolCallId };
  }
  const tool = toolNamed(written, manifest.tools);
  return {
    tool: tool?.name ?? written,
    toolInput,
    toolCallId,
    ...logOf(log, text),
    observation:
      tool === undefined ? unknownTool(written, namesShown(manifest)) : unfitUse(tool.name, manifest),
  };
}

/** A call of `use_tool` that names no tool. */
function unfitUse(tool: string, { toolSearch }: AgentManifest): string | undefined {
  return toolSearch !== undefined && tool === USE_TOOL ? USE_TOOL_FORM : undefined;
}

function namesShown(manifest: AgentManifest): string[] {
  return withShownTools(manifest).tools.map(({ name }) => name);
}

function cutOff(): OutputParserError {
  return new OutputParserError('It was cut off at the token limit (maxTokens)', CUT_REPLY);
}

/** A parser of the user's own may make an answer of an empty reply. */
function saysNothing(parsed: ParsedReply): boolean {
  return parsed.type === 'finish' && typeof parsed.output === 'string' && parsed.output.trim() === '';
}

/** Chooses the error of an empty reply. Without tokens too it is the parser's, which says what the format lacks, as in LangChain. */
function emptyCause(error: OutputParserError, reply: RawReply, manifest: AgentManifest): OutputParserError {
  const { finishReason, reasoning = '', usage } = reply;
  const hasNothing = finishReason === 'stop' && reasoning === '' && (usage?.completionTokens ?? 0) < 2;
  return hasNothing ? error : nothingIn(reply, manifest);
}

/** An empty reply is not an answer: most often the provider took away what it could not read. */
function nothingIn({ finishReason, usage, reasoning }: RawReply, manifest: AgentManifest): OutputParserError {
  const said = emptyReply({
    finishReason,
    tokens: usage?.completionTokens,
    hasThoughts: (reasoning ?? '').trim() !== '',
    tools: namesShown(manifest),
  });
  const why =
    finishReason === 'content_filter'
      ? "The provider's content filter took it away (content_filter)"
      : `It had neither text nor a call (finish reason: ${finishReason})`;
  return new OutputParserError(why, said);
}

function parseFailure(error: OutputParserError, manifest: AgentManifest, text: string): TurnDecision {
  if (manifest.handleParsingErrors === false) return failed(error);
  return { type: 'act', actions: [exceptionStep(error, manifest, text)] };
}

const ADVICE = ' Set handleParsingErrors to tell the model and continue.';

function failed({ message }: OutputParserError, advice = ADVICE): TurnDecision {
  const cause = boundedText(message, limits.errorChars).replace(/\.$/u, '');
  return {
    type: 'fail',
    error: { type: 'OutputParserError', message: `The model's reply could not be read: ${cause}.${advice}` },
  };
}

/**
 * AgentExecutor's handle_parsing_errors: a step of the tool `_Exception`. If the parser names what is missing, the log
 * keeps the reply; otherwise the model sees the error's message instead.
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
