import { z } from 'zod/v4';
import { nearName } from '../../agent/text/near-name.ts';
import type { RetryPolicy } from '../../agent/definition/manifest.ts';
import { duration, milliseconds } from './duration.ts';

/** A check for each option of an interface: a name or a type that differs does not compile. */
export type Checks<T> = { [K in keyof T]-?: z.ZodType<T[K] | undefined> };

/** An object that takes these options and no others. */
export function options<S extends z.ZodRawShape>(shape: S, known = Object.keys(shape)) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown option ${issue.keys.map((key) => withHint(key, known)).join(', ')} (known: ${known.join(', ')})`
        : undefined,
  });
}

function withHint(key: string, known: readonly string[]): string {
  const meant = nearName(key, known);
  return meant === undefined ? key : `${key} (did you mean ${meant}?)`;
}

export interface RetryDefaults {
  maxAttempts: number;
  initialInterval: string;
  backoffCoefficient: number;
  maximumInterval: string;
}

/** Attempts and the waits between them, under Temporal's names; each may be given alone. */
export function retryOptions(defaults: RetryDefaults) {
  return options({
    maxAttempts: z.int().positive().default(defaults.maxAttempts),
    initialInterval: duration.default(defaults.initialInterval),
    backoffCoefficient: z.number().min(1).default(defaults.backoffCoefficient),
    maximumInterval: duration.default(defaults.maximumInterval),
  }).prefault({});
}

/** The policy in its recorded form. Throws {@link ConfigError} naming `what`. */
export function retryPolicy(retry: z.output<ReturnType<typeof retryOptions>>, what: string): RetryPolicy {
  return {
    maxAttempts: retry.maxAttempts,
    initialMs: milliseconds(retry.initialInterval, `${what}.initialInterval`),
    backoff: retry.backoffCoefficient,
    maximumMs: milliseconds(retry.maximumInterval, `${what}.maximumInterval`),
  };
}

/** Problems of a value, each with its place, as one text; undefined if there are none. */
export function problemsOf(schema: z.ZodType, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  const problems = result.error.issues.map(({ path, message, ...issue }) => {
    const isMissing =
      'expected' in issue && (issue.expected === 'nonoptional' || message.endsWith(' received undefined'));
    const text = isMissing ? 'is missing' : message;
    return path.length === 0 ? text : `${path.join('.')}: ${text}`;
  });
  return problems.join('; ');
}
