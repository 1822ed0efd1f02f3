import { capOutput } from '../observation/output.ts';
import { callWithin } from '../rules/call-rules.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import { jsonBytes } from '../values/digest.ts';
import { limits } from '../values/limits.ts';
import { type Json, asText } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';

/** A sub-agent's message to its parent: waits that started, and waits that ended. Without `over`, `waits` is the whole list of open waits. */
export interface WaitsChange {
  /** The parent's call that runs the sub-agent. */
  caller: string;
  waits: WaitingCall[];
  over?: WaitKey[] | undefined;
}

type WaitKey = Pick<WaitingCall, 'call' | 'n'>;

/** Returns the change from `before` to `now`; undefined if both are the same. Cuts the texts of a long list to fit one signal. */
export function waitsChange(
  caller: string,
  before: readonly WaitingCall[],
  now: readonly WaitingCall[],
): WaitsChange | undefined {
  const begun = now.filter((wait) => !isIn(before, wait));
  const over = before.filter((wait) => !isIn(now, wait)).map(({ call, n }) => ({ call, n }));
  return begun.length + over.length === 0 ? undefined : { caller, waits: boundedWaits(begun), over };
}

/** Returns the sub-agent's open waits after a change. The calls have the ids of the parent's run: `3.1/2.1`. */
export function applyWaitsChange(
  before: readonly WaitingCall[],
  { caller, waits, over }: WaitsChange,
): WaitingCall[] {
  const withCaller = <W extends WaitKey>(wait: W): W => ({ ...wait, call: callWithin(caller, wait.call) });
  const begun = waits.map(withCaller);
  if (over === undefined) return begun;
  const ended = over.map(withCaller);
  return [...before.filter((wait) => !isIn(ended, wait)), ...begun];
}

/** Returns the waits. If they are too large for one signal, inputs, notes and errors are cut: each wait gets an equal share of the size. */
export function boundedWaits(waits: readonly WaitingCall[]): WaitingCall[] {
  if (jsonBytes(waits) <= limits.waitsBytes) return [...waits];
  const share = Math.max(limits.inlineBytes, Math.floor(limits.waitsBytes / waits.length));
  const cut = (value: Json) => capOutput(value, Infinity, share);
  return waits.map(({ toolInput, note, error, ...wait }) => ({
    ...wait,
    toolInput: cut(toolInput),
    ...(note !== undefined && { note: cut(note) }),
    ...(error !== undefined && { error: { ...error, message: asText(cut(error.message)) } }),
  }));
}

/** Returns `resumed` for each wait that ended, and `waiting` for each wait that started. */
export function waitEvents(before: readonly WaitingCall[], now: readonly WaitingCall[]): TimelessEvent[] {
  return [
    ...before.filter((wait) => !isIn(now, wait)).map(({ call }) => ({ type: 'resumed', call }) as const),
    ...now.filter((wait) => !isIn(before, wait)).map((wait) => ({ type: 'waiting', wait }) as const),
  ];
}

function isIn(list: readonly WaitKey[], { call, n }: WaitKey): boolean {
  return list.some((other) => other.call === call && other.n === n);
}
