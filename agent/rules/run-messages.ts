import type { Allowance } from '../counters.ts';
import { fieldsOnly, isObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { utf8Length } from '../transcript/digest.ts';
import { wellFormed } from '../values.ts';
import { EXTENSION_DATA, limitWords, raisedBy, readExtension } from './extension.ts';
import { refusal } from './refusal.ts';
import { type LimitName, type ReachedLimit, limitError } from './run-limits.ts';

/** What a person says to a run as a whole, as decisions are what one says of a call. */

/** What there is to know of a run when somebody says something to it. */
export interface SteeredRun {
  /** Agents that run in it, or are about to. */
  agents: readonly SteeredAgent[];
  isPaused: boolean;
  /** The run that has this one as a sub-agent is paused, and with it this one. */
  isPausedAbove: boolean;
}

export interface SteeredAgent {
  /** What has been said to it and no model call has carried yet. */
  inboxBytes: number;
  /** The limits that can be raised. */
  limits: readonly LimitName[];
  /** The limit at which it waits for a person. */
  reached: ReachedLimit | undefined;
}

interface Rule<M> {
  /** What it does, in the words of the command's help and the Web UI's. */
  does: string;
  /** What to type as data, beside the update in the Web UI. */
  data: string;
  /** What was sent, understood. Throws for what cannot be. */
  read(data: unknown): M;
  /** Throws when the run is not in a state for it. */
  check(message: M, run: SteeredRun): void;
}

function runMessage<M>(rule: Rule<M>) {
  const { does, data, read } = rule;
  return {
    does,
    data,
    read,
    /** Reads and checks. */
    receive(sent: unknown, run: SteeredRun): M {
      const message = rule.read(sent);
      rule.check(message, run);
      return message;
    },
  };
}

const SAID_DATA = '"…" or {"message":"…"}';

/** Every message, in the order in which people are told of them. */
export const runMessages = {
  say: runMessage<{ text: string }>({
    does: 'Tell the model something, which it sees at its next turn',
    data: SAID_DATA,
    read: readSaid,
    check({ text }, { agents }) {
      checkAgents('say', agents);
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
    does: 'Begin nothing any more until resume; what is under way ends',
    data: 'nothing',
    read: (data) => readNothing('pause', data),
    check(_, { agents, isPaused, isPausedAbove }) {
      checkAgents('pause', agents);
      if (isPaused) throw refusal('pause', 'the run is paused already. Possible: resume.');
      if (isPausedAbove) throw refusal('pause', 'the run that this one is part of is paused already.');
    },
  }),
  resume: runMessage<object>({
    does: 'Let a paused run go on',
    data: 'nothing',
    read: (data) => readNothing('resume', data),
    check(_, { isPaused, isPausedAbove }) {
      if (isPaused) return;
      if (!isPausedAbove) throw refusal('resume', 'the run is not paused. Possible: pause.');
      throw refusal('resume', 'it is the run that this one is part of that is paused. Resume that one.');
    },
  }),
  extend: runMessage<Allowance>({
    does: 'Raise the limits of a run by so much',
    data: EXTENSION_DATA,
    read: readExtension,
    check(extension, { agents }) {
      checkAgents('extend', agents);
      for (const { reached } of agents) if (reached !== undefined) checkRaises(extension, reached);
      const has = new Set(
        agents.flatMap(({ limits: its, reached }) => [...its, ...(reached ? [reached.raise] : [])]),
      );
      const without = raisedBy(extension).filter((name) => !has.has(name));
      if (without.length === 0) return;
      const [no, its] = [without, [...has]].map((names) => limitWords(names).join(', '));
      throw refusal('extend', `the run has no limit of ${no} to raise. Its limits: ${its || 'none'}.`);
    },
  }),
};

type Rules = typeof runMessages;
export type RunMessageName = keyof Rules;

/** What a person said to a run. */
export type RunMessage = {
  [N in RunMessageName]: { type: N } & ReturnType<Rules[N]['read']>;
}[RunMessageName];

export const runMessageNames = Object.keys(runMessages) as RunMessageName[]; // the keys of the literal above

/** What stands beside the message's update in the Web UI. */
export function helpOfMessage(name: RunMessageName): string {
  const { does, data } = runMessages[name];
  return `${does}. Data: ${data}.`;
}

/** A message out of what was sent. Throws a plain Error whose message says what would fit. */
export function readRunMessage(type: RunMessageName, sent: unknown): RunMessage {
  return { type, ...runMessages[type].read(sent) } as RunMessage; // what the rule of this name reads
}

/** The same, for a run that has to be in a state for it. */
export function receiveRunMessage(type: RunMessageName, sent: unknown, run: SteeredRun): RunMessage {
  return { type, ...runMessages[type].receive(sent, run) } as RunMessage; // as above
}

function readSaid(data: unknown): { text: string } {
  const refuse = (problem: string) => refusal('say', problem);
  const given = isObject(data) ? fieldsOnly(data, ['message'], refuse)['message'] : data;
  // The Web UI's form turns an unquoted 42 into a number.
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text === 'string' && text.trim() !== '') return { text: wellFormed(text) };
  throw refuse(`there is no message. Data: ${SAID_DATA}.`);
}

function readNothing(name: string, data: unknown): object {
  const isEmpty = isObject(data) && Object.keys(data).length === 0;
  if (data === undefined || data === null || data === '' || isEmpty) return {};
  throw refusal(name, 'it takes no data, as it is about the whole run.');
}

/** A run that waits at a limit goes on if that one is raised, and by enough. */
function checkRaises(extension: Allowance, { raise, over, figure }: ReachedLimit): void {
  if ((extension[raise] ?? 0) > over) return;
  const [word] = limitWords([raise]);
  const more = over > 0 ? ` by more than ${over}${raise === 'timeMs' ? ' ms' : ''}` : '';
  throw refusal('extend', `the run waits. ${limitError(figure).message} Raise ${word}${more}.`);
}

function checkAgents(name: string, agents: readonly SteeredAgent[]): void {
  if (agents.length > 0) return;
  throw refusal(name, 'no agent runs in this workflow now.');
}
