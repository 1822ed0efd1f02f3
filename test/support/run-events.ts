import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { RestartedEvent } from '../../agent/calls/restart.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { type Json, noUsage } from '../../agent/values/vocabulary.ts';
import { act, answer } from './scripts.ts';

/** A run event without its time; a run's events are a second apart. */
export type Timeless = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

export function atSeconds(...events: Timeless[]): RunEvent[] {
  return events.map((event, index) => ({ ...event, at: index * 1000 }));
}

/** The same, of the run of a sub-agent. */
export function within(call: string, ...events: Timeless[]): Timeless[] {
  return events.map((event) => ({ ...event, within: call }));
}

export const started: Timeless = {
  type: 'run_started',
  id: 'run-1',
  runId: 'r',
  agent: 'assistant',
  input: 'What is the weather?',
};

/** Step `call`: the model decides on `tool`. */
export function decides(call: string, tool: string, toolInput: string): Timeless[] {
  const text = act(tool, toolInput);
  return [
    { type: 'model_started', call },
    modelEnded(call, text, { type: 'act', actions: [{ tool, toolInput }] }),
    { type: 'action', call: `${call}.1`, action: { tool, toolInput, log: text } },
    { type: 'tool_started', call: `${call}.1`, tool, toolInput },
  ];
}

export function answers(call: string, output: string): Timeless[] {
  return [
    { type: 'model_started', call },
    modelEnded(call, answer(output), { type: 'finish', output }),
    {
      type: 'run_ended',
      status: 'completed',
      stopReason: 'final_answer',
      output,
      iterations: Number(call),
      usage: { promptTokens: 1200, completionTokens: 34, totalTokens: 1234, modelCalls: Number(call) },
      error: null,
    },
  ];
}

export function modelEnded(
  call: string,
  text: string,
  decision: ModelTurn['decision'],
  more: Partial<ModelTurn> & { attempts?: number } = {},
): Timeless {
  const { attempts = 1, ...fields } = more;
  const usage = { ...noUsage, promptTokens: 320, completionTokens: 45, totalTokens: 365, modelCalls: 1 };
  const turn: ModelTurn = { digest: '', text, decision, finishReason: 'stop', usage, request: '', ...fields };
  return { type: 'model_ended', call, turn, attempts, durationMs: 1234 };
}

export function observes(
  call: string,
  tool: string,
  toolInput: string,
  observation: Json,
  attempts = 1,
): Timeless {
  const action = { tool, toolInput, log: '' };
  return { type: 'step', step: { call, action, observation, attempts, durationMs: 250 } };
}

/** Call `call` has failed for good and waits. */
export function waits(call: string, tool: string, toolInput: string, n = 0): Timeless[] {
  const error = { type: 'ConnectionError', message: 'no route\nto host' };
  return [
    { type: 'tool_failed', call, error, attempts: 3 },
    { type: 'waiting', wait: { call, n, tool, toolInput, reason: 'failed', error } },
  ];
}

/** The run `run-1` begins again, as another run where it is forked. */
export function restarted(
  by: RestartedEvent['by'],
  step: number,
  more: Partial<RestartedEvent> = {},
): RestartedEvent {
  const id = by === 'fork' ? 'run-2' : 'run-1';
  const from = { id: 'run-1', runId: 'r' };
  return { type: 'restarted', by, step, id, runId: 'r2', from, iterations: 1, usage: noUsage, ...more };
}
