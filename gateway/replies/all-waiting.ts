import { callPath } from '../../agent/calls/call-path.ts';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';

/** The waits for a person, if every one of the calls waits for a person; otherwise none. `calls`: the tool calls that are under way. */
export function allWaiting(calls: Iterable<string>, waits: Iterable<WaitingCall>): WaitingCall[] {
  const waiting = [...waits].filter(needsPerson);
  const asked = new Set(waiting.map(({ call }) => callPath(call)[0]));
  return [...calls].every((call) => asked.has(call)) ? waiting : [];
}
