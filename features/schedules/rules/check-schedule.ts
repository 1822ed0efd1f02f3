import { readBatchStart } from '../../../agent/start/batch-start.ts';
import { type FreshStart, readRunStart } from '../../../agent/start/run-start.ts';
import { InvalidInput } from '../../../agent/values/refusal.ts';
import { plainJson } from '../../../agent/values/values.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { type CompiledPolicies, type CompiledSpec, compilePolicies, compileSpec } from './compile-spec.ts';
import type { ScheduleDefinition } from './schedule-definition.ts';

/** A schedule that was checked as far as this is possible without the server. */
export interface CheckedSchedule {
  name: string;
  spec: CompiledSpec;
  policies: CompiledPolicies;
  /** Input of each run or batch, in the format in which people start them. */
  input: Json;
  /** The runs that it starts at each time: one, or with `isBatch` one for each question. */
  starts: [FreshStart, ...FreshStart[]];
  isBatch: boolean;
}

/** Throws InvalidInput with a sentence that names the schedule. */
export function checkSchedule(
  name: string,
  { spec, policies, ...start }: ScheduleDefinition,
): CheckedSchedule {
  try {
    const isBatch = start.inputs !== undefined;
    return {
      name,
      spec: compileSpec(spec),
      policies: compilePolicies(policies),
      input: plainJson(start),
      starts: isBatch ? readBatchStart(start).starts : [readRunStart(start, [])],
      isBatch,
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new InvalidInput(`Schedule "${name}": ${problem}`, { cause: error });
  }
}
