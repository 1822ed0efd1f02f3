import { Client, ServiceError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type StartAttributes,
  attributesOfRun,
  attributesOfSession,
  startWithAttributes,
} from '../../client/start-attributes.ts';
import { sampleManifest } from '../support/manifest.ts';

const INVALID_ARGUMENT = 3;
const attributes = attributesOfSession('s');
const refusal = () =>
  Object.assign(new Error('no mapping'), { code: INVALID_ARGUMENT, details: '', metadata: {} });
/** As the SDK wraps what the server says of a start. */
const wrapped = () => new ServiceError('Failed to start Workflow', { cause: refusal() });

/** A server, as a start meets it; `starts` has what each of them brought. */
function serverThat(knows: () => boolean, refused: () => Error = wrapped) {
  const starts: StartAttributes[] = [];
  const start = (given: StartAttributes) => {
    starts.push(given);
    return given === attributes && !knows() ? Promise.reject(refused()) : Promise.resolve('started');
  };
  return { starts, start };
}

describe('a start with search attributes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('brings them where the server knows them', async () => {
    const { starts, start } = serverThat(() => true);
    expect(await startWithAttributes(new Client(), attributes, start)).toBe('started');
    expect(starts).toEqual([attributes]);
  });

  test.each([
    ['a start', wrapped],
    ['an update with a start', refusal],
  ])(
    'is made again without them where the server refuses %s, which is not tried for a while',
    async (_title, refused) => {
      const client = new Client();
      let known = false;
      const { starts, start } = serverThat(() => known, refused);
      expect(await startWithAttributes(client, attributes, start)).toBe('started');
      expect(await startWithAttributes(client, attributes, start)).toBe('started');
      expect(starts).toEqual([attributes, {}, {}]);
      known = true; // a worker has registered them
      vi.advanceTimersByTime(3_600_000);
      expect(await startWithAttributes(client, attributes, start)).toBe('started');
      expect(starts.slice(3)).toEqual([attributes]);
    },
  );

  test('that the server refuses for another reason says so', async () => {
    const start = () => Promise.reject(new Error('no connection'));
    await expect(startWithAttributes(new Client(), attributes, start)).rejects.toThrow('no connection');
    const both = () => Promise.reject(wrapped());
    await expect(startWithAttributes(new Client(), attributes, both)).rejects.toThrow('Failed to start');
  });
});

describe('the attributes of a run', () => {
  test('are left to itself where it goes on from a run of before, which writes all', () => {
    expect(attributesOfRun({ agent: 'a' })).toHaveProperty('typedSearchAttributes');
    const manifest = sampleManifest({ loopVersion: 4 });
    expect(attributesOfRun({ agent: 'a', manifest })).toEqual({});
    expect(attributesOfRun({ agent: 'a', manifest: { ...manifest, loopVersion: 5 } })).toHaveProperty(
      'searchAttributes',
    );
  });

  test('are none for a name that no server takes', () => {
    expect(attributesOfRun({ agent: 'a'.repeat(3000) })).toEqual({});
  });
});
