import type { RunContext } from '../definition/run-context.ts';
import { isObject, withoutNulls } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { jsonBytes } from '../values/digest.ts';
import type { Content } from '../values/content.ts';
import { plainJson } from '../values/values.ts';
import type { Json } from '../values/vocabulary.ts';
import { misstart } from './misstart.ts';
import { type FreshStart, type RunStart, readRunStart } from './run-start.ts';

/** A question of a batch: its text, its parts, or an object with values that override those of the batch. */
export type BatchQuestion =
  | Content
  | {
      input: Content;
      context?: RunContext | undefined;
      variables?: { [name: string]: string } | undefined;
    };

/** The input of the workflow `agentBatch` as a person types it: a start with several questions, each of which gets a run. */
export interface BatchStart extends Omit<RunStart, 'input' | 'traceparent'> {
  inputs: readonly BatchQuestion[];
  /** Runs under way at the same time, 1 to 100. A run that waits for a person gives its place to the next. Default: 4. */
  concurrency?: number | undefined;
}

/** A batch that was checked. `starts`: the start of each run. */
export interface CheckedBatch {
  concurrency: number;
  starts: [FreshStart, ...FreshStart[]];
}

const MOST_CONCURRENT = 100;
const USUAL_CONCURRENCY = 4;
const OWN_FIELDS = ['input', 'context', 'variables'];

/** Reads the input of a batch: a {@link BatchStart}. Throws InvalidInput, which names the question that cannot be asked. */
export function readBatchStart(sent: unknown): CheckedBatch {
  const json = asJson(sent);
  if (!isObject(json)) throw wrong('there is no input, or it is not an object.');
  const { inputs, input, concurrency: given, ...common } = json;
  const concurrency = given ?? USUAL_CONCURRENCY;
  if (!Number.isInteger(concurrency) || Number(concurrency) < 1 || Number(concurrency) > MOST_CONCURRENT)
    throw wrong(`concurrency is a whole number from 1 to ${MOST_CONCURRENT}.`);
  if (input !== undefined && input !== null)
    throw wrong('input stands beside inputs. Leave one of them out.');
  if (!Array.isArray(inputs)) throw wrong('inputs is a list of questions.');
  const bytes = jsonBytes(json);
  if (bytes > limits.batchBytes)
    throw wrong(
      `it has ${bytes} bytes, and ${limits.batchBytes} can be recorded at once. Make several batches.`,
    );
  const [first, ...others] = inputs.map((one, index) => readQuestion(one, index + 1, common));
  if (first === undefined) throw wrong('inputs has no question.');
  return { concurrency: Number(concurrency), starts: [first, ...others] };
}

function asJson(sent: unknown): Json {
  try {
    return plainJson(sent ?? null);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function readQuestion(one: Json, n: number, common: { [field: string]: Json }): FreshStart {
  try {
    return readRunStart({ ...common, ...ownFields(one) }, []);
  } catch (error) {
    throw wrong(`question ${n}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function ownFields(one: Json): { [field: string]: Json } {
  if (!isObject(one)) return { input: one };
  const fields = withoutNulls(one);
  const unknown = Object.keys(fields).find((field) => !OWN_FIELDS.includes(field));
  if (unknown === undefined) return fields;
  throw new Error(`it has the field ${JSON.stringify(unknown)}, and it may have ${OWN_FIELDS.join(', ')}.`);
}

function wrong(problem: string) {
  return misstart('agentBatch', problem);
}
