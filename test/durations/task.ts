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
});
export type Task = z.output<typeof Task>;

/** Places that all processes of a table know; set by `main.ts`. */
export const places = {
  folder: () => process.env['DURATIONS_FOLDER'] ?? '',
  services: () => process.env['DURATIONS_SERVICES'] ?? '',
};

export function readTask(text: string): Task {
  return Task.parse(JSON.parse(text));
}

export function journal(name: 'begun' | 'tokens'): string {
  return join(places.folder(), name);
}

/** Counts the beginning of a call. */
export function noteBegun(key: string): void {
  appendFileSync(journal('begun'), `${key}\n`);
}

export function timesBegun(key: string): number {
  return linesOf('begun').filter((line) => line === key).length;
}

export function linesOf(name: 'begun' | 'tokens'): string[] {
  return existsSync(journal(name)) ? readFileSync(journal(name), 'utf8').split('\n').filter(Boolean) : [];
}
