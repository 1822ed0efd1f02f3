import { BACKGROUND_TOOL, controlActions } from '../../agent/background/background-input.ts';
import { CHARS_PER_TOKEN } from '../../agent/definition/price.ts';
import { promptLength } from '../../agent/transcript/request.ts';
import {
  type Model,
  ModelError,
  type ModelErrorType,
  type ModelRequest,
} from '../../adapters/models/model.ts';
import { currentProcess } from './process.ts';
import { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

/** A request that the model was asked. */
export interface Asked {
  at: number;
  /** The agent that asked. */
  agent: string;
  runId: string;
  step: string;
  request: ModelRequest;
  /** Error in place of a reply. */
  failure?: ModelErrorType;
  /** Tokens of the reply, in a world with budgets: no two replies have the same number. */
  billed?: number;
}

export type WorldKind = 'tool-calling' | 'zero-shot' | 'structured-chat' | 'conversational';

type ModelFailure = [type: ModelErrorType, retryable: boolean, retryAfterMs?: number];

const modelErrors: readonly ModelFailure[] = [
  ['ModelRateLimited', true],
  ['ModelServerError', true],
  ['ModelConnectionError', true],
  ['ModelTimeout', true],
  ['ModelStreamCut', true],
  ['ModelBadRequest', false],
  ['ModelAuthenticationError', false],
];

/** All others, and a server that says how long to wait. */
export const rareErrors: readonly ModelFailure[] = [
  ['ModelRateLimited', true, 3000],
  ['ModelConflict', true],
  ['ModelInvalidResponse', true],
  ['ModelInvalidResponse', false],
  ['ModelContextTooLong', false],
  ['ModelPermissionDenied', false],
  ['ModelNotFound', false],
];

/** The call of a model that is asked for a summary before step 3 is `3-compaction`. */
export const COMPACTION = '-compaction';

/** Tools that hand the conversation over begin with this. */
export const HANDOFF = 'transfer_to_';

/** Most calls of a usual turn. */
export const FEW = 4;

interface ModelWorld {
  /** Tools whose calls run in the background: the model asks about them, waits for them, and cancels them. */
  background: readonly string[];
  asked: Asked[];
  dice: Random;
  salt: number;
  /** Longest time of a call. */
  slowestMs: number;
  /** The model's server sends bills, which the laws compare with budgets. */
  bills: boolean;
  /** Share of the calls that fail, and how. */
  failing?: number | undefined;
  errors?: readonly ModelFailure[] | undefined;
}

export interface ModelOptions {
  /** The agent that asks the model. */
  agent: string;
  /** The model's server counts tokens. */
  counts: boolean;
  kind: WorldKind;
  tools: readonly string[];
  /** Most calls of the first turn; later ones have a few. */
  mostCalls: number;
  /** Most steps until the answer. */
  most: number;
  /** The tool that the model takes most often. */
  favourite?: string | undefined;
  /** The agent searches for its tools: the model searches now and then, and calls what it found by `use_tool` or by its name. */
  searches?: boolean | undefined;
}

/** A model whose decisions follow from the question and the step, so that a step that is done again decides the same. */
export function createModel(
  { asked, dice, salt, slowestMs, bills, background, failing = 0.04, errors = modelErrors }: ModelWorld,
  { agent, counts, kind, tools, mostCalls, most, favourite, searches }: ModelOptions,
): Model {
  const controls = tools.some((name) => background.includes(name));
  return {
    async call(request, context) {
      await currentProcess().proceed();
      const one: Asked = { at: Date.now(), agent, runId: context.runId, step: context.step, request };
      asked.push(one);
      await sleep(dice.int(1, slowestMs));
      if (dice.chance(failing) && dice.may('model error')) {
        const [type, retryable, retryAfterMs] = dice.of(errors);
        one.failure = type;
        throw new ModelError(type, `simulated ${type}`, { retryable, retryAfterMs });
      }
      const promptTokens = Math.ceil(promptLength(request.prompt) / CHARS_PER_TOKEN);
      const totalTokens = promptTokens + (bills ? newBill(asked, promptTokens) : 5);
      if (bills) one.billed = totalTokens;
      const completionTokens = totalTokens - promptTokens;
      const usage = counts || bills ? { promptTokens, completionTokens, totalTokens } : undefined;
      if (context.step.endsWith(COMPACTION))
        return { finishReason: 'stop', usage, text: notes(dice), toolCalls: [] };
      const question = questionOf(request);
      const choice = new Random(salt ^ hash(`${question} ${context.step}`));
      const isLast = Number(context.step) > 2 + (hash(question) % most);
      const isWide = mostCalls > FEW && context.step === '1';
      const isOne = kind !== 'tool-calling' || (!isWide && choice.chance(0.6));
      const count = isOne ? 1 : isWide ? choice.int(mostCalls * 0.8, mostCalls) : choice.int(2, FEW);
      const calls = isLast
        ? []
        : Array.from({ length: count }, () => {
            if (controls && choice.chance(CONTROLS)) return control(choice, Number(context.step));
            const name = favourite !== undefined && choice.chance(0.5) ? favourite : choice.of(tools);
            return rewritten(call(choice, name, count), dice);
          }).map((one) => (searches === true ? searched(one, choice) : one));
      return {
        finishReason: 'stop',
        usage,
        text: textOf(kind, calls[0], choice),
        toolCalls:
          kind === 'tool-calling'
            ? calls.map(({ name, args }, index) => ({
                id: `call-${context.step}-${index}`,
                name,
                arguments: JSON.stringify(args),
              }))
            : [],
      };
    },
  };
}

/** Tokens of a reply, with which its bill is unlike all others. */
function newBill(asked: readonly Asked[], promptTokens: number): number {
  const bills = new Set(asked.map(({ billed }) => billed));
  let tokens = 5;
  while (bills.has(promptTokens + tokens)) tokens++;
  return tokens;
}

/** Share of the calls that are about a background call, in a world that has such calls. */
const CONTROLS = 0.25;

/** A call about one of the calls before it, which may be none that runs in the background. */
function control(choice: Random, step: number): Call {
  const ticket = `${choice.int(1, step)}.${choice.chance(0.8) ? 1 : 2}`;
  return { name: BACKGROUND_TOOL, args: { action: choice.of(controlActions), ticket } };
}

interface Call {
  name: string;
  args: object;
}

/** `count`: of calls in the turn, which share the size that a reply may have. */
function call(choice: Random, name: string, count: number): Call {
  const n = choice.int(0, 999);
  if (name === 'helper') return { name, args: { __arg1: `help ${n}` } };
  if (name.startsWith(HANDOFF)) return { name, args: {} };
  if (name === 'ask_human') return { name, args: { question: `Question ${n}?` } };
  return {
    name,
    args: name === 'bulky' ? { n, pad: '0123456789'.repeat(count > 4 ? 23_000 / count : n * 150) } : { n },
  };
}

/** A call by the tools of the search, now and then a search in its place. */
function searched({ name, args }: Call, choice: Random): Call {
  if (choice.chance(0.1)) return { name: 'search_tools', args: { query: name } };
  if (name.startsWith(HANDOFF) || choice.chance(0.3)) return { name, args };
  return { name: 'use_tool', args: { name, input: args } };
}

/** A summary of old turns. Each has another text, and one in ten is empty. */
function notes(dice: Random): string {
  return dice.chance(0.1) ? '' : `notes #${dice.int(0, 999_999)}`;
}

/** A model that decides the same again may write it another way. */
function rewritten({ name, args }: Call, dice: Random): Call {
  return { name, args: 'n' in args && dice.chance(0.2) ? { ...args, n: String(args.n) } : args };
}

/** The reply's text, as a model writes it that has the kind's instructions. One in thirty cannot be read. */
function textOf(kind: WorldKind, decided: Call | undefined, choice: Random): string {
  if (kind === 'tool-calling') return decided === undefined ? 'done' : '';
  if (choice.chance(1 / 30)) return 'I do not know how to say that.';
  const { name = 'Final Answer', args = 'done' } = decided ?? {};
  if (kind === 'structured-chat' || kind === 'conversational')
    return `Thought: next\nAction:\n\`\`\`json\n${JSON.stringify({ action: name, action_input: args })}\n\`\`\``;
  return decided === undefined
    ? 'Thought: I now know the final answer\nFinal Answer: done'
    : `Thought: next\nAction: ${name}\nAction Input: ${inputText(name, args)}`;
}

function inputText(name: string, args: object | string): string {
  return name === 'helper' ? Object.values(args).join('') : JSON.stringify(args);
}

/** The question of a run: the first text of that form in the request, or the last in a session. */
function questionOf(request: ModelRequest): string {
  const text = JSON.stringify(request.prompt);
  const said = text.match(/\bmessage session-of-[\w-]+/gu)?.at(-1);
  return said ?? /\bquestion run-of-[\w-]+/u.exec(text)?.[0] ?? /\bhelp \d+/u.exec(text)?.[0] ?? '';
}

function hash(text: string): number {
  let value = 7;
  for (const character of text) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
