import { parseActivityId } from '../agent/calls.ts';
import type { RunEvent } from '../agent/events.ts';

/** What people said to a recorded run, by the model call that carried it, and how many more iterations they gave it. */
export interface Steering {
  said: ReadonlyMap<string, string[]>;
  iterations: number;
}

/** Of one agent of the run. A call that is made again carries what was said meanwhile, too. */
export function steeringOf(events: readonly RunEvent[], scope: number): Steering {
  const said = new Map<string, string[]>();
  let waiting: string[] = [];
  let iterations = 0;
  for (const event of events) {
    if (event.type === 'steered' && event.message.type === 'say') waiting.push(event.message.text);
    if (event.type === 'steered' && event.message.type === 'extend')
      iterations += event.message.iterations ?? 0;
    if (event.type !== 'model_started' || waiting.length === 0) continue;
    if ((parseActivityId(event.call)?.scope ?? 0) !== scope) continue;
    said.set(event.call, [...(said.get(event.call) ?? []), ...waiting]);
    waiting = [];
  }
  return { said, iterations };
}
