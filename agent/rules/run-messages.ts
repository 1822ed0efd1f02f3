import type { Allowance } from '../limits/counters.ts';
import { fieldsOnly, isObject } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { utf8Length } from '../values/digest.ts';
import { wellFormed } from '../values/values.ts';
import { EXTENSION_DATA, limitWords, raisedBy, readExtension } from '../limits/extension.ts';
import { refusal } from '../values/refusal.ts';
import { noData } from './sent-data.ts';
import { splitSender } from './sender.ts';
import { type LimitName, type ReachedLimit, limitError } from '../limits/run-limits.ts';

/** Messages of a person to a whole run. Decisions are for one call. */

/** State of a run that decides which messages it accepts. */
export interface SteeredRun {
  /** Agents of the run that are running or about to start. */
  agents: readonly SteeredAgent[];
  isPaused: boolean;
  /** The parent run is paused, and therefore this run. */
  isPausedAbove: boolean;
  /** Decisions and messages that the execution has taken. */
  words: number;
}

export interface SteeredAgent {
  /** Size of the messages that no model call has carried yet. */
  inboxBytes: number;
  /** The limits that can be raised. */
  limits: readonly LimitName[];
  /** The limit at which the agent waits for a person. */
  reached: ReachedLimit | undefined;
  /** The last step that the agent can be rewound to. undefined: its workflow is a user's, and cannot be rewound. */
  lastStep: number | undefined;
  /** A rewind is under way. */
  isRewinding: boolean;
}

interface Rule<M> {
  /** Sentence for the command's help and the Web UI. */
  does: string;
  /** Data of the update, for the Web UI. */
  data: string;
  /** Parses the sent data. Throws for data that the message does not take. */
  read(data: unknown): M;
  /** Throws if the run does not accept the message in its state. */
  check(message: M, run: SteeredRun): void;
}

function runMessage<M>(rule: Rule<M>): Rule<M> {
  return rule;
}

const SAID_DATA = '"…" or {"message":"…"}';
const REWIND_DATA = '3 or {"step":3}';

/** Every message, in the order of help texts. */
export const runMessages = {
  say: runMessage<{ text: string }>({
    does: 'Send the model a message, which it sees at its next turn',
    data: SAID_DATA,
    read: readSaid,
    check({ text }, { agents, words }) {
      checkAgents('say', agents);
      checkWords('say', words);
      const waiting = Math.max(...agents.map(({ inboxBytes }) => inboxBytes));
      if (waiting + utf8Length(text) <= limits.inboxBytes) return;
      const size = `the message has ${utf8Length(text)} bytes and ${waiting} wait for the model already`;
      throw refusal(
        'say',
        `${size}; at most ${limits.inboxBytes} may. Shorten it, or wait for the next turn.`,
      );
    },
  }),
  pause: runMessage<object>({
    does: 'Start nothing new until resume; running calls finish',
    data: 'nothing',
    read: (data) => nothing('pause', data),
    check(_, { agents, isPaused, isPausedAbove, words }) {
      checkAgents('pause', agents);
      checkWords('pause', words);
      if (isPaused) throw refusal('pause', 'the run is paused already. Possible: resume.');
      if (isPausedAbove) throw refusal('pause', 'the parent run is paused already.');
    },
  }),
  resume: runMessage<object>({
    does: 'Let a paused run continue',
    data: 'nothing',
    read: (data) => nothing('resume', data),
    check(_, { isPaused, isPausedAbove }) {
      if (isPaused) return;
      if (!isPausedAbove) throw refusal('resume', 'the run is not paused. Possible: pause.');
      throw refusal('resume', 'this run is paused because its parent run is. Resume the parent run.');
    },
  }),
  extend: runMessage<Allowance>({
    does: 'Raise limits of a run',
    data: EXTENSION_DATA,
    read: readExtension,
    check(extension, { agents }) {
      checkAgents('extend', agents);
      for (const { reached } of agents) if (reached !== undefined) checkRaises(extension, reached);
      const has = new Set(
        agents.flatMap(({ limits: names, reached }) => [...names, ...(reached ? [reached.raise] : [])]),
      );
      const without = raisedBy(extension).filter((name) => !has.has(name));
      if (without.length === 0) return;
      const [missing, known] = [without, [...has]].map((names) => limitWords(names).join(', '));
      throw refusal('extend', `the run has no limit of ${missing} to raise. Its limits: ${known || 'none'}.`);
    },
  }),
  rewind: runMessage<{ step: number }>({
    does: 'Do a step of a run again, and all later steps',
    data: REWIND_DATA,
    read: readRewind,
    check({ step }, { agents }) {
      checkAgents('rewind', agents);
      if (agents.some(({ isRewinding }) => isRewinding))
        throw refusal('rewind', 'another rewind was first: the run is being rewound.');
      for (const { lastStep } of agents) {
        if (lastStep === undefined) throw refusal('rewind', 'this workflow is not a run of an agent.');
        const steps = lastStep === 0 ? 'It has not taken a step yet.' : `Its steps: 1 to ${lastStep}.`;
        if (step > lastStep) throw refusal('rewind', `the run has no step ${step}. ${steps}`);
      }
    },
  }),
};

type Rules = typeof runMessages;
export type RunMessageName = keyof Rules;

/** A person's message to a run. `by`: the name of the person, as the sender says. */
export type RunMessage = {
  [N in RunMessageName]: { type: N; by?: string | undefined } & ReturnType<Rules[N]['read']>;
}[RunMessageName];

export const runMessageNames = Object.keys(runMessages) as RunMessageName[]; // the keys of the literal above

/** Description of the message's update in the Web UI. */
export function helpOfMessage(name: RunMessageName): string {
  const { does, data } = runMessages[name];
  return `${does}. Data: ${data}.`;
}

/** Parses a message. Throws an Error whose message says which data is accepted. */
export function readRunMessage(type: RunMessageName, sent: unknown): RunMessage {
  const { sender, data } = splitSender(type, sent);
  const { by } = sender;
  const message = { type, ...runMessages[type].read(data), ...(by === undefined ? {} : { by }) };
  return message as RunMessage; // the data that the rule of this name reads
}

/** Parses a message and checks that the run accepts it in its state. Throws as `readRunMessage` does. */
export function receiveRunMessage(type: RunMessageName, sent: unknown, run: SteeredRun): RunMessage {
  const message = readRunMessage(type, sent);
  const rule: Rule<object> = runMessages[type];
  rule.check(message, run);
  return message;
}

function readSaid(data: unknown): { text: string } {
  const refuse = (problem: string) => refusal('say', problem);
  const given = isObject(data) ? fieldsOnly(data, ['message'], refuse)['message'] : data;
  // The Web UI's form turns an unquoted 42 into a number.
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text === 'string' && text.trim() !== '') return { text: wellFormed(text) };
  throw refuse(`there is no message. Data: ${SAID_DATA}.`);
}

function readRewind(data: unknown): { step: number } {
  const refuse = (problem: string) => refusal('rewind', problem);
  const given = isObject(data) ? fieldsOnly(data, ['step'], refuse)['step'] : data;
  const step = typeof given === 'string' && given !== '' ? Number(given) : given;
  if (typeof step === 'number' && Number.isSafeInteger(step) && step >= 1) return { step };
  throw refuse(`a step is a whole number, the first one is 1. Data: ${REWIND_DATA}.`);
}

function nothing(name: string, data: unknown): object {
  noData(name, data, 'run');
  return {};
}

/** Refuses an extension that would not end the wait: another limit is reached, or the raise is too small. */
/** The run's answer to a message. */
export interface RunMessageReceipt {
  message: RunMessageName;
}

function checkRaises(extension: Allowance, { raise, over, figure }: ReachedLimit): void {
  if ((extension[raise] ?? 0) > over) return;
  const [word] = limitWords([raise]);
  const more = over > 0 ? ` by more than ${over}${raise === 'timeMs' ? ' ms' : ''}` : '';
  throw refusal('extend', `the run waits. ${limitError(figure).message} Raise ${word}${more}.`);
}

/** Keeps room for the decisions that let a waiting run continue. */
function checkWords(name: string, words: number): void {
  if (words < limits.wordsWithMessages) return;
  throw refusal(
    name,
    `the run has taken ${words} decisions and messages since it began or last continued as new, and only decisions, resume, rewind and extend are taken now. Between two turns it continues as new, and takes messages again.`,
  );
}

function checkAgents(name: string, agents: readonly SteeredAgent[]): void {
  if (agents.length > 0) return;
  throw refusal(name, 'no agent runs in this workflow now.');
}
