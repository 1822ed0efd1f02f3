import { needsPerson, type WaitingCall } from '../../client/index.ts';

/** The waits for a person, if every one of the calls waits for a person; otherwise none. `calls`: the tool calls that are under way. */
export function allWaiting(calls: Iterable<string>, waits: Iterable<WaitingCall>): WaitingCall[] {
  const waiting = [...waits].filter(needsPerson);
  // A sub-agent's call that waits is a wait of the call that runs the sub-agent.
  const isAsked = (call: string) => waiting.some((wait) => `${wait.call}/`.startsWith(`${call}/`));
  return [...calls].every(isAsked) ? waiting : [];
}
