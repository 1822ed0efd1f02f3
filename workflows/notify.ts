import { type Sinks, proxySinks } from '@temporalio/workflow';
import type { RunEvent } from '../agent/events.ts';

/** What a worker's config listens to: run events, each once, none on replay. */
export interface ReloopSinks extends Sinks {
  reloop: { event(event: RunEvent): void };
}

const { reloop } = proxySinks<ReloopSinks>();

/** A run event without its time; distributes over the union. */
type Timeless = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

export type Notify = (event: Timeless) => void;

/** Tells the worker's `onEvent`; undefined if there was none when the run was started: then no event is even made. */
export function notifier(listened: boolean): Notify | undefined {
  if (!listened) return undefined;
  return (event) => reloop.event({ ...event, at: Date.now() });
}
