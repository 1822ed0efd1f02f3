import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { isObject } from '../../agent/values/json-object.ts';
import { loopPaths, loopTools } from '../support/loop-paths.ts';
import { recordedHistories } from '../support/recorded-histories.ts';
import { useRig } from '../support/rig.ts';

type History = temporal.api.history.v1.IHistory;

const rig = useRig({
  agents: loopPaths.map(({ name, model, options }) => ({ name, model, tools: loopTools, ...options })),
});

/** Each event with the fields of its payloads: what a run costs on the server. Values differ from run to run. */
function shapeOf({ events }: History): string[] {
  return (events ?? []).map((event) => {
    const filled = Object.entries(event).filter(([name, value]) => isFilled(name, value));
    const shapeOfOne = ([kind, attributes]: [string, unknown]) => [kind, ...places(attributes)].join(' ');
    return filled.map(shapeOfOne).join(' ');
  });
}

/** Without empty search attributes: Temporal 1.32 leaves them out of the start, earlier servers do not. */
function places(attributes: unknown): string[] {
  return fieldsIn(attributes, '').filter((place) => !/\.searchAttributes\.\S+\[0\]$/u.test(place));
}

function isFilled(name: string, value: unknown): boolean {
  return name.endsWith('EventAttributes') && isObject(value);
}

/** Places of all values in payloads, as `input.payloads.0.question.input`. */
function fieldsIn(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => fieldsIn(one, `${place}.${index}`));
  if (value instanceof Uint8Array || !isObject(value)) return [];
  const { metadata, data } = value;
  if (isObject(metadata) && data instanceof Uint8Array)
    return placesOf(defaultPayloadConverter.fromPayload({ metadata: metadata as never, data }), place);
  return Object.entries(value)
    .toSorted(byName)
    .flatMap(([name, one]) => fieldsIn(one, `${place}.${name}`));
}

function placesOf(json: unknown, place: string): string[] {
  if (Array.isArray(json))
    return [`${place}[${json.length}]`, ...json.flatMap((one) => placesOf(one, `${place}[]`))];
  if (!isObject(json)) return [place];
  return Object.entries(json)
    .toSorted(byName)
    .flatMap(([name, one]) => placesOf(one, `${place}.${name}`));
}

/** Steps that a short run has in its result: at most 32 KB, and no history is read for them. */
function withoutSteps(shape: string): string {
  return shape.replaceAll(/ \.result\.\S*\.intermediateSteps\S*/gu, '');
}

/** Fields that a call's header had at first, and leaves out where they are usual. */
const USUAL = / \.header\.fields\.reloop\.(?:maxOutputChars|retry\.\w+|timeoutMs)(?= |$)/gu;

function withoutUsual(shape: string): string {
  return shape.replaceAll(USUAL, '');
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

test.each(['final-answer', 'return-direct', 'iteration-limit'])(
  'the run %s has the events and fields that it had before there were versions, limits, telemetry, keys, tags, senders, and steps in its result',
  async (name) => {
    const before = recordedHistories().find((one) => one.name === name);
    const run = await rig.client.start(name, 'What now?');
    await run.result();
    const history = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
    const shape = shapeOf(history);
    expect(shape.length).toBeGreaterThan(10);
    expect(shape.map(withoutSteps).map(withoutUsual)).toEqual(
      shapeOf(before?.history ?? {}).map(withoutUsual),
    );
  },
);
