import { fieldsOf, isObject } from '../values/json-object.ts';
import type { ToolResult } from './calls.ts';
import { isUsage } from './failures.ts';

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isOneOf =
  (...names: string[]) =>
  (value: unknown) =>
    typeof value === 'string' && names.includes(value);

const checks: { [F in keyof Required<ToolResult>]: (value: unknown) => boolean } = {
  output: () => true,
  kind: isOneOf('error', 'invalid', 'deferred', 'asks'),
  asks: isObject,
  approved: (value) => value === true,
  token: isText,
  usage: isUsage,
  changes: (value) => Array.isArray(value) && value.every(isChange),
  attempt: isCount,
  attemptScheduledAt: isCount,
  heartbeats: isCount,
  only: (value) => value === true,
  reconciled: isOneOf('done', 'notDone', 'unknown'),
  local: isObject,
};

/**
 * Reads the recorded result of a tool's activity as our runner writes it. Returns undefined for any other value: an operator
 * can complete a call with any JSON, by `temporal activity complete` or in the Web UI. Such a value is itself the tool's output.
 */
export function readToolResult(value: unknown): ToolResult | undefined {
  if (!isObject(value) || value['output'] === undefined) return undefined;
  // A newer worker may write further fields.
  const isOurs = Object.entries(checks).every(
    ([name, fits]) => value[name] === undefined || fits(value[name]),
  );
  return isOurs ? (value as unknown as ToolResult) : undefined; // each field was checked
}

function isChange(value: unknown): boolean {
  const { hook, part, before, after } = fieldsOf(value);
  return [hook, part, before, after].every(isText);
}
