import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod/v4';
import { ConfigError } from '../define.ts';

const MB = 2 ** 20;
/** Memory of a worker without calls, and of each call that waits for its answer with the call's run: measured in docs/production.md. */
const WORKER_BYTES = 250 * MB;
const CALL_BYTES = 0.5 * MB;
/** Waiting calls that take one core of the worker: measured in docs/production.md. */
const CALLS_OF_A_CORE = 2000;
const LEAST = 100;

/**
 * Default number of concurrent calls of models and tools in one worker: as many waiting calls as the process has memory for, in bytes, and
 * one core has time for.
 */
export function defaultConcurrency(memory = memoryOfProcess()): number {
  const calls = Math.floor((memory - WORKER_BYTES) / CALL_BYTES);
  return Math.min(Math.max(calls, LEAST), CALLS_OF_A_CORE);
}

/** Bytes that this process may take: those of its container or machine, and about two times V8's limit for the heap. */
function memoryOfProcess(): number {
  const container = process.constrainedMemory() || Infinity;
  return Math.min(container, totalmem(), 2 * getHeapStatistics().heap_size_limit);
}

/** A worker reserves memory and a connection for each call that it makes. */
const MOST = 100_000;

const SENTENCE = `is not a whole number from 1 to ${MOST}`;

export const concurrencySchema = z.custom<number>(isConcurrency, SENTENCE);

/** Throws ConfigError; `where`: who takes the number. */
export function checkedConcurrency(where: string, value: number | undefined): number | undefined {
  if (value === undefined || isConcurrency(value)) return value;
  throw new ConfigError(`${where}: concurrency ${SENTENCE}, but ${String(value)}.`);
}

function isConcurrency(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST;
}
