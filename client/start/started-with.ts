import type { Client } from '@temporalio/client';
import { overridesOf } from '../../agent/start/overrides.ts';
import { canonicalJson, isObject } from '../../agent/values/json-object.ts';
import type { Content } from '../../agent/values/content.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type Input, readInput } from './read-input.ts';
import { type RecordedStart, recordedStart } from './recorded-start.ts';
import type { StartOptions } from './start-options.ts';

/** A start as it is asked for. */
interface AskedStart extends StartOptions {
  agent: string;
  input: Input;
}

/** Compares the first start of a run with another one. undefined: the record has none. Throws RunNotFound, InvalidInput. */
export async function startedWith(
  client: Client,
  id: string,
  { agent, input, session, chatHistory = [], variables, ...options }: AskedStart,
): Promise<boolean | undefined> {
  const begun = await recordedStart(client, id);
  if (begun === undefined) return undefined;
  const asked: RecordedStart = {
    agent,
    input: readInput(input).input,
    session,
    chatHistory: session === undefined ? chatHistory : undefined,
    variables,
    overrides: overridesOf(options),
  };
  return recordedText(begun) === recordedText(asked);
}

/** Distinguishes two starts, or two questions. The place where an image is recorded (`ref`) is known only after the start. */
export function recordedText(recorded: RecordedStart | Content | null): string {
  const text = JSON.stringify(recorded, (_name, value: unknown) => {
    const isMedia = isObject(value) && (value['type'] === 'image' || value['type'] === 'file');
    return isMedia ? { ...value, ref: undefined } : value;
  });
  return canonicalJson(JSON.parse(text) as Json);
}
