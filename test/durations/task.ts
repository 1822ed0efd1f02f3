import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

/** Orders for a call; the question of a run is this as JSON. */
export const Task = z.object({
  /** The tool that the model calls, or the mode of the model itself. */
  tool: z.string(),
  /** Duration of the call. */
  seconds: z.number(),
  /** Names the call in the journal. */
  key: z.string(),
  end: z.string(),
  /** The first attempt would last for an hour, and something ends it before; the next one takes a second. */
  endless: z.boolean().optional(),
  /** The death of its worker ends the first attempt. */
  killed: z.boolean().optional(),
});
export type Task = z.output<typeof Task>;

/** Places that all processes of a table know; set by `main.ts`. */
export const places = {
  folder: () => process.env['DURATIONS_FOLDER'] ?? '',
  services: () => process.env['DURATIONS_SERVICES'] ?? '',
  /** Seconds of the longest call. */
  longest: () => Number(process.env['DURATIONS_LONGEST']),
};

export function readTask(text: string): Task {
  return Task.parse(JSON.parse(text));
}

type Journal = 'begun' | 'tokens' | 'stored' | 'effects';

export function journal(name: Journal): string {
  return join(places.folder(), name);
}

/** Counts the beginning of an attempt. Returns the seconds that it takes. */
export function begin({ key, seconds, endless }: Task): number {
  note('begun', key);
  if (endless !== true) return seconds;
  return timesBegun(key) > 1 ? 1 : 3600;
}

export function note(name: Journal, line: string): void {
  appendFileSync(journal(name), `${line}\n`);
}

export function timesBegun(key: string): number {
  return linesOf('begun').filter((line) => line === key).length;
}

export function linesOf(name: Journal): string[] {
  return existsSync(journal(name)) ? readFileSync(journal(name), 'utf8').split('\n').filter(Boolean) : [];
}
