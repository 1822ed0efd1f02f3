import { capOutput } from '../observation/output.ts';
import { callWithin } from '../rules/call-rules.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import { utf8Length } from '../values/digest.ts';
import { limits } from '../values/limits.ts';
import { type Json, asText } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';

/** A sub-agent's message to its parent: calls that wait now, and calls that wait no more. Without `over`, `waits` is the whole list. */
export interface WaitsTold {
  /** The parent's call that the sub-agent is. */
  caller: string;
  waits: WaitingCall[];
  over?: WaitKey[] | undefined;
}

type WaitKey = Pick<WaitingCall, 'call' | 'n'>;

/** The change from `before` to `now`; undefined if both are the same. Inputs, notes and errors of a long list are cut to fit one signal. */
export function waitsToTell(
  caller: string,
  before: readonly WaitingCall[],
  now: readonly WaitingCall[],
): WaitsTold | undefined {
  const begun = now.filter((wait) => !isIn(before, wait));
  const over = before.filter((wait) => !isIn(now, wait)).map(({ call, n }) => ({ call, n }));
  return begun.length + over.length === 0 ? undefined : { caller, waits: boundedWaits(begun), over };
}

/** The calls that wait within a call of the parent, under the parent's names, once its sub-agent has told of a change. */
export function waitsAfter(
  before: readonly WaitingCall[],
  { caller, waits, over }: WaitsTold,
): WaitingCall[] {
  const named = <W extends WaitKey>(wait: W): W => ({ ...wait, call: callWithin(caller, wait.call) });
  const begun = waits.map(named);
  if (over === undefined) return begun;
  const gone = over.map(named);
  return [...before.filter((wait) => !isIn(gone, wait)), ...begun];
}

/** Inputs, notes and errors of waits are cut to an equal share where they are too many for one message. */
export function boundedWaits(waits: readonly WaitingCall[]): WaitingCall[] {
  if (utf8Length(JSON.stringify(waits)) <= limits.waitsBytes) return [...waits];
  const share = Math.max(limits.inlineBytes, Math.floor(limits.waitsBytes / waits.length));
  const cut = (value: Json) => capOutput(value, Infinity, share);
  return waits.map(({ toolInput, note, error, ...wait }) => ({
    ...wait,
    toolInput: cut(toolInput),
    ...(note !== undefined && { note: cut(note) }),
    ...(error !== undefined && { error: { ...error, message: asText(cut(error.message)) } }),
  }));
}

/** The events for a change in which calls of a sub-agent wait. */
export function waitingChanges(before: readonly WaitingCall[], now: readonly WaitingCall[]): TimelessEvent[] {
  return [
    ...before.filter((wait) => !isIn(now, wait)).map(({ call }) => ({ type: 'resumed', call }) as const),
    ...now.filter((wait) => !isIn(before, wait)).map((wait) => ({ type: 'waiting', wait }) as const),
  ];
}

function isIn(list: readonly WaitKey[], { call, n }: WaitKey): boolean {
  return list.some((other) => other.call === call && other.n === n);
}
