import { z } from 'zod/v4';
import { ConfigError } from '../define.ts';

/**
 * Default number of concurrent calls of models and tools in one worker. A call is mostly a wait: measured in
 * docs/production.md.
 */
export const CONCURRENCY = 500;

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
