import type { AgentKind, ParsedAction, PromptStep, ToolSpec, TurnReply } from '../definition/kind.ts';
import type { JsonSchema, ToolManifest } from '../definition/manifest.ts';
import { CLOSING_REQUEST } from '../observation/observations.ts';
import { type PromptPart, outputInstructions, promptParts } from './prompt-parts.ts';
import { observationText, resultText } from './observation-text.ts';
import { fill } from '../text/template.ts';
import { parametersOf } from '../prompt/parameters.ts';
import { ONLY_ARGUMENT, readArguments } from '../prompt/tool-arguments.ts';
import { CALLABLE, toolNamed } from '../prompt/tool-names.ts';
import { wholeCharacters } from '../values/values.ts';
import { type ChatMessage, EXCEPTION_TOOL, type ToolCall } from '../values/vocabulary.ts';

const system = `You answer the user as well as you can. Call the tools you are given where they help, several at once where \
they do not depend on one another. As soon as you know enough, answer in plain words.`;

/** Native tool calls, several in one turn (LangChain's create_tool_calling_agent). */
export const toolCalling: AgentKind<'system' | 'human'> = {
  name: 'tool-calling',
  stop: [],
  prompt: { system, human: '{input}' },
  stoppedOutput: 'Agent stopped due to max iterations.',
  chatHistory: true,
  images: true,

  validate({ tools, params }) {
    const refused = tools.filter((tool) => !CALLABLE.test(tool.name)).map((tool) => `"${tool.name}"`);
    if (refused.length > 0) {
      return `models cannot call ${refused.join(', ')}. Native tool calls take names of at most 64 letters, digits, "_" and "-": rename, or use another kind, such as 'zero-shot'.`;
    }
    if (params.api === 'chat' || tools.length === 0) return undefined;
    return `legacy completions cannot carry tool calls. Use api: 'chat', or another kind, such as 'zero-shot'.`;
  },

  render({ manifest, input, chatHistory, variables, steps, messages, closing }) {
    const values = { ...variables, input };
    const part = (name: string) => fill(manifest.prompt[name] ?? '', values);
    const instructions = (part('system') + outputInstructions(manifest)).trim();
    const tools = manifest.tools.map(toolSpec);
    return {
      type: 'messages',
      messages: [
        ...(instructions === '' ? [] : [{ role: 'system', content: instructions } as const]),
        ...chatHistory,
        { role: 'user', content: part('human') },
        ...scratchpad(promptParts({ steps, messages })),
        ...(closing ? [{ role: 'user', content: CLOSING_REQUEST } as const] : []),
      ],
      ...(tools.length === 0 ? {} : { tools }),
      ...(closing && tools.length > 0 ? { toolChoice: 'none' } : {}),
    };
  },

  parse({ text, toolCalls }, { tools }) {
    if (toolCalls.length === 0) return { type: 'finish', output: text, log: text };
    const words = cut(text, Math.min(LOG_CHARS, Math.ceil(LOGS_CHARS / toolCalls.length)));
    return { type: 'act', actions: toolCalls.map((call) => readCall(call, words, tools)) };
  },
};

function toolSpec({ name, description, inputSchema }: ToolManifest): ToolSpec {
  return { name, description, parameters: inputSchema === null ? SINGLE_STRING : parametersOf(inputSchema) };
}

const SINGLE_STRING: JsonSchema = {
  type: 'object',
  properties: {
    [ONLY_ARGUMENT]: {
      title: ONLY_ARGUMENT,
      type: 'string',
      description: 'The whole input of the tool, as one text.',
    },
  },
  required: [ONLY_ARGUMENT],
};

/**
 * The assistant's message of each turn, then a message for each of its calls. A tool message that the turn has already
 * is left out, as in LangChain; unlike there, one of an earlier turn is not (servers number the calls of each reply
 * from the start), and calls whose steps are no longer shown are left out: providers refuse an unanswered call.
 */
function scratchpad(parts: readonly PromptPart[]): ChatMessage[] {
  return turnsOf(parts).flatMap((turn) =>
    turn.type === 'turn' ? turnMessages(turn) : [{ role: turn.role, content: turn.text }],
  );
}

function turnMessages({ reply, steps: shown }: ShownTurn): ChatMessage[] {
  if (reply === undefined) return shown.flatMap(wholeReply);
  const ids = shown.map(({ toolCallId }) => toolCallId);
  const calls = reply.toolCalls.filter(({ id }) => ids.includes(id));
  return [assistantMessage(reply, calls), ...answersOf(shown)];
}

/** The answers of one turn, without repetitions. */
function answersOf(steps: readonly PromptStep[]): ChatMessage[] {
  const answers: { tool: string; message: ChatMessage }[] = [];
  for (const step of steps) {
    const { tool } = step.action;
    const message = toolMessage(step);
    const isSaid = answers.some(
      (said) =>
        said.tool === tool &&
        said.message.toolCallId === message.toolCallId &&
        said.message.content === message.content,
    );
    if (!isSaid) answers.push({ tool, message });
  }
  return answers.map(({ message }) => message);
}

/** Messages to the run come between turns: providers require the answers of a turn directly after its calls. */
type Shown = ShownTurn | Extract<PromptPart, { type: 'message' }>;

interface ShownTurn {
  type: 'turn';
  /** undefined: the steps are whole replies that could not be read. */
  reply: TurnReply | undefined;
  steps: [PromptStep, ...PromptStep[]];
}

function turnsOf(parts: readonly PromptPart[]): Shown[] {
  const turns: Shown[] = [];
  for (const part of parts) {
    if (part.type === 'message') {
      turns.push(part);
      continue;
    }
    const { step } = part;
    const reply = step.toolCallId === undefined ? undefined : step.reply;
    const last = turns.at(-1);
    if (last?.type === 'turn' && last.reply === reply) last.steps.push(step);
    else turns.push({ type: 'turn', reply, steps: [step] });
  }
  return turns;
}

function wholeReply({ action, observation }: PromptStep): ChatMessage[] {
  return [
    { role: 'assistant', content: action.log },
    { role: 'user', content: observationText(observation) },
  ];
}

function assistantMessage({ text, reasoning, providerData }: TurnReply, toolCalls: ToolCall[]): ChatMessage {
  const message = { role: 'assistant', content: text === '' ? null : text, toolCalls } as const;
  return providerData === undefined ? message : { ...message, reasoning, providerData };
}

/**
 * The log of an unreadable call says why it is unreadable. A model may also call a tool named `_Exception`: that call's
 * observation is not its input.
 */
function toolMessage({ action, observation, toolCallId }: PromptStep): ChatMessage {
  const said = resultText(observation);
  const unreadable = action.tool === EXCEPTION_TOOL && action.toolInput === observation;
  const content = unreadable ? `${action.log}\n${said}` : said;
  return { role: 'tool', content, toolCallId };
}

/** The model reads an error for each call that cannot be read; the others of the turn run. */
function readCall(
  { id, name: written, arguments: text }: ToolCall,
  said: string,
  tools: readonly ToolManifest[],
): ParsedAction {
  const name = toolNamed(written, tools)?.name ?? written;
  try {
    const toolInput = readArguments(text);
    const log = `${said === '' ? '' : `${said}\n`}Invoking \`${name}\` with ${JSON.stringify(toolInput)}`;
    return { tool: name, toolInput, log, toolCallId: id };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const unreadable = `The arguments of the call of ${name} are not a JSON object (${reason}): ${cut(text, SHOWN_CHARS)}`;
    return { tool: name, toolInput: text, log: text, toolCallId: id, unreadable };
  }
}

/** Characters shown of arguments that cannot be read. */
const SHOWN_CHARS = 500;
/** Characters kept of the text beside the calls: each call's log repeats that text, and all logs are recorded together. */
const LOG_CHARS = 4_000;
const LOGS_CHARS = 100_000;

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${wholeCharacters(text.slice(0, chars))}…`;
}
