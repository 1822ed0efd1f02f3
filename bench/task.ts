import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';

/**
 * What every contestant is asked for, and every model of the bench reads: call the tool `look` so many times, then answer.
 * The model server reads both numbers from the request, so it has no state.
 */
export const TOOL = { name: 'look', description: 'Looks at what is there.' };

/** The tool's input: which step of the run this is, from 1. */
export const toolInput = z.object({ step: z.number() });

export function question(steps: number): string {
  return `Take ${steps} steps.`;
}

export const ANSWER = 'Done.';

/** A model's name that no server knows. */
export const MODEL = 'bench';

/** Waits as long as a call is said to take; 0: not at all. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms);
}

/** What the tool says, in bytes. */
export function observation(bytes: number): string {
  return 'x'.repeat(bytes);
}
