import type { RunEvent } from '../../agent/run/events.ts';
import { RunView } from '../../agent/views/view.ts';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { runParts } from '../../gateway/replies/run-parts.ts';

/** The id of the run that has these events. */
export const RUN = 'acme.chairs';

async function* given(events: readonly object[], view: RunView): AsyncGenerator<RunEvent> {
  for (const one of events) {
    const event = { at: 0, ...one } as RunEvent;
    view.add(event);
    yield event;
  }
}

export async function* partsOf(events: readonly object[]) {
  const view = new RunView(RUN);
  for await (const part of runParts(given(events, view), { isPlain: true, view })) yield { part };
}

export const action = (call: string, tool = 'price', toolInput: unknown = 'chair') => ({
  type: 'action',
  call,
  action: { tool, toolInput, log: '' },
});
export const step = (call: string, observation: unknown) => ({
  type: 'step',
  step: { call, action: action(call).action, observation, attempts: 1, durationMs: 1 },
});
export const writes = (text: string, attempt = 1) => ({ type: 'model_text', call: '1', attempt, text });
export const thinks = (text: string, attempt = 1) => ({ type: 'model_reasoning', call: '1', attempt, text });
export const ends = (call: string, text: string, more: object = {}) => ({
  type: 'model_ended',
  call,
  attempts: 1,
  turn: { text, decision: { type: 'finish' }, usage: noUsage, ...more },
});
export const waits = (call: string, reason = 'approval', n = 0) => ({
  type: 'waiting',
  wait: { call, n, tool: 'price', toolInput: 'chair', reason },
});
export const decided = (call: string, type: string) => ({ type: 'decided', call, decision: { type } });
export const over = (status: string, more: object = {}) => ({
  type: 'run_ended',
  status,
  output: null,
  error: null,
  ...more,
});
export const says = (text: string) => ({ type: 'steered', message: { type: 'say', text } });
export const begins = (call: string) => ({ type: 'model_started', call });
export const rewinds = (to: number) => ({
  type: 'restarted',
  by: 'rewind',
  step: to,
  from: { id: RUN, runId: '' },
  runId: '',
  iterations: to - 1,
  usage: noUsage,
});
export const caughtUp = { type: 'caught_up' };
