import type { RunOverrides } from '../agent/calls.ts';
import { InvalidInput } from './errors.ts';

/** What a start may have in place of the agent's own. JavaScript does not check types. */
interface GivenOverrides {
  model?: unknown;
  maxIterations?: unknown;
  maxExecutionTime?: unknown;
}

/** Throws InvalidInput: a workflow that was started with a limit that is none could never take its first step. */
export function overridesOf({ model, maxIterations, maxExecutionTime }: GivenOverrides): RunOverrides {
  return {
    ...(model === undefined ? {} : { model: nameOf(model) }),
    ...(maxIterations === undefined ? {} : { maxIterations: iterationsOf(maxIterations) }),
    ...(maxExecutionTime === undefined ? {} : { maxExecutionTimeMs: millisecondsOf(maxExecutionTime) }),
  };
}

function nameOf(model: unknown): string {
  if (typeof model === 'string' && model.trim() !== '') return model;
  throw new InvalidInput(`model is ${written(model)}; give the name of a model.`);
}

function iterationsOf(value: unknown): number | null {
  if (value === null || (Number.isSafeInteger(value) && Number(value) >= 0)) return value as number | null; // just looked at
  throw new InvalidInput(
    `maxIterations is ${written(value)}; give a whole number from 0, or null for no limit.`,
  );
}

function millisecondsOf(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidInput(
    `maxExecutionTime is ${written(value)}; give a number of milliseconds, or null for no limit.`,
  );
}

function written(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
