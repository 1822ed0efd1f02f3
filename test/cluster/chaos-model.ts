import { createHash } from 'node:crypto';
import type { RecordedRequest, Script, ScriptedReply } from '../../features/testing/index.ts';
import { Random } from '../simulation/random.ts';

/** Tools in the order of how often they are called. Waits for a person are the slowest part of a run. */
const OFTEN = ['read', 'peek', 'mail', 'order', 'long', 'flaky'];
const SELDOM = ['pay', 'hand', 'helper', 'ask_human'];
const NOT_FOR_HELPERS = ['helper', 'ask_human'];
/** Characters of an observation that an answer repeats. */
const SHOWN = 60;

export interface ModelState {
  /** Nobody gets an answer. */
  isOut: boolean;
  /** Share of the requests that fail. */
  failing: number;
  /** Requests, by how they ended. */
  counts: { [end: string]: number };
}

/** An answer repeats what the model was shown: observations, and messages of people. */
export interface ChaosAnswer {
  saw: string[];
  heard: string[];
}

/** A model whose decisions follow from the question and the step, so that a step that is done again decides the same. */
export function chaosModel(seed: number, state: ModelState): Script {
  const luck = new Random(seed);
  return (request) => {
    const fault = state.isOut ? 'overloaded' : luck.chance(state.failing) ? luck.of(faultNames) : undefined;
    const delayMs = luck.int(20, 400);
    const end = `model ${fault ?? 'answered'}`;
    state.counts[end] = (state.counts[end] ?? 0) + 1;
    const reply = replyTo(request, seed);
    return { delayMs, ...reply, ...(fault === undefined ? {} : faults[fault]) };
  };
}

const faults = {
  busy: { status: 429, error: { message: 'Rate limit reached' }, headers: { 'retry-after-ms': '200' } },
  broken: { status: 500, error: { message: 'The server had an error' } },
  overloaded: { status: 503, error: { message: 'overloaded' } },
  silent: { hang: true },
  cut: { cutAfterChunks: 1 },
  garbled: { rawBody: '{"id": "x", "choi' },
} satisfies { [name: string]: ScriptedReply };
const faultNames = Object.keys(faults) as (keyof typeof faults)[]; // the keys of the literal above

/** The first 60 characters of the first line, which is what a text prompt shows for certain. */
export function shownPart(observation: string): string {
  return (observation.split('\n', 1)[0] ?? '').trim().slice(0, SHOWN);
}

function replyTo(request: RecordedRequest, seed: number): ScriptedReply {
  const { question, observations, heard, isText, turns } = readRequest(request);
  const isHelper = question.startsWith('help ');
  const choice = new Random(seed ^ numberOf(`${question} ${turns}`));
  const last = 2 + (numberOf(question) % (isHelper ? 2 : 9));
  if (turns >= last) {
    const text = JSON.stringify({ saw: observations.map(shownPart), heard } satisfies ChaosAnswer);
    return { text: isText ? `I now know the final answer\nFinal Answer: ${text}` : text };
  }
  const names = (choice.chance(0.75) ? OFTEN : SELDOM).filter(
    (name) => !isHelper || !NOT_FOR_HELPERS.includes(name),
  );
  const count = isText || choice.chance(0.6) ? 1 : choice.int(2, 4);
  const calls = Array.from({ length: count }, () => callOf(choice.of(names), choice.int(0, 999)));
  if (!isText) return { text: '', toolCalls: calls.map(({ name, args }) => ({ name, arguments: args })) };
  const [{ name, args } = callOf('read', 0)] = calls;
  const typed = name === 'helper' ? Object.values(args).join('') : JSON.stringify(args);
  return { text: `next\nAction: ${name}\nAction Input: ${typed}` };
}

function callOf(name: string, n: number): { name: string; args: { [field: string]: string | number } } {
  if (name === 'helper') return { name, args: { __arg1: `help ${n}` } };
  return { name, args: name === 'ask_human' ? { question: `Question ${n}?` } : { n } };
}

interface Message {
  role: string;
  content?: string | null;
  tool_calls?: unknown[];
}

function readRequest({ body, prompt }: RecordedRequest) {
  const messages = (body['messages'] ?? []) as unknown as Message[]; // of the OpenAI protocol
  const isText = body['tools'] === undefined;
  const heard = [...new Set(prompt.match(/\bword \d+\b/gu))];
  if (!isText) {
    const contents = (role: string) =>
      messages.filter((message) => message.role === role).map(({ content }) => content ?? '');
    const turns = messages.filter(({ tool_calls: calls }) => calls !== undefined).length;
    return { question: contents('user')[0] ?? '', observations: contents('tool'), heard, isText, turns };
  }
  // The instructions have such lines too.
  const scratchpad = prompt.slice(prompt.lastIndexOf('\nQuestion: '));
  const question = /^\nQuestion: (.*)$/mu.exec(scratchpad)?.[1] ?? '';
  const observations = [...scratchpad.matchAll(/^Observation: (.*)$/gmu)].map(([, line = '']) => line);
  return { question, observations, heard, isText, turns: observations.length };
}

function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
