import { Client, ServiceError } from '@temporalio/client';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readBacktestStart } from '../../../../agent/backtest/backtest-start.ts';
import { runSignals } from '../../../../agent/run/run-signals.ts';
import { readSessionStart } from '../../../../agent/session/session-start.ts';
import { isRecordedStart, readRunStart } from '../../../../agent/start/run-start.ts';
import { InvalidInput } from '../../../../agent/values/refusal.ts';
import {
  type StartAttributes,
  attributesOfRun,
  attributesOfSession,
  startWithAttributes,
} from '../../../../client/start/start-attributes.ts';
import { junk } from '../../../support/junk.ts';
import { sampleManifest } from '../../../support/manifest.ts';

/** What workflows are started with by hand, and what is signalled to them. */
const asked = { agent: 'helper', input: 'What?' };
const recorded = { agent: 'helper', question: { input: 'What?', chatHistory: [] } };

describe('the start of a run', () => {
  const replaced = { agent: 'helper', question: { input: 'a\ufffd', chatHistory: [] } };
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const shown = { ...recorded, overrides: { tenant: 'ann' }, trace, by: 'sue' };
  const limited = { ...recorded, overrides: { maxExecutionTimeMs: 5 } };
  test.each<[string, object, object]>([
    ['agent and question', asked, recorded],
    ['the form that is recorded', recorded, recorded],
    ['the same without a history', { agent: 'helper', question: { input: 'What?' } }, recorded],
    ['fields that are null', { ...asked, chatHistory: null, model: null, budget: null }, recorded],
    [
      'messages as Go writes them',
      { ...asked, chatHistory: [{ role: 'user', content: 'Hi', toolCalls: null }] },
      { agent: 'helper', question: { input: 'What?', chatHistory: [{ role: 'user', content: 'Hi' }] } },
    ],
    [
      'what a run may override',
      { ...asked, model: 'm', maxIterations: null, maxExecutionTime: 5, budget: { totalTokens: 1 } },
      {
        ...recorded,
        overrides: { model: 'm', maxIterations: null, maxExecutionTimeMs: 5, budget: { totalTokens: 1 } },
      },
    ],
    ['overrides as they are recorded', limited, limited],
    ['all that the Web UI shows of a start', shown, shown],
    ['half a character, which could not be recorded', { ...asked, input: 'a\ud800' }, replaced],
  ])('may be %s', (_title, sent, start) => {
    expect(readRunStart(sent, [])).toEqual(start);
    expect(isRecordedStart(readRunStart(sent, []))).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ['no text as agent', { ...asked, agent: 5 }, 'agent is the name'],
    ['a question twice', { ...asked, question: { input: 'b' } }, 'input stands beside question and in it'],
    ['no question', { agent: 'a' }, 'input is missing: the question.'],
    ['a question that is none', { agent: 'a', question: 'b' }, 'question is an object'],
    ['an image that came with nothing', { ...asked, input: [{ type: 'image', ref: { index: 0 } }] }, 'input'],
    ['a history of texts', { ...asked, chatHistory: ['Hi'] }, 'chatHistory is a list of messages'],
    ['a role that is none', { ...asked, chatHistory: [{ role: 'me', content: 'Hi' }] }, 'role is one of'],
    ['variables that are no texts', { ...asked, variables: { a: 1 } }, 'variables are texts'],
    ['a limit that is none', { ...asked, maxExecutionTime: '10m' }, 'maxExecutionTime has to be'],
    ['an override that there is not', { ...asked, overrides: { temperature: 1 } }, 'cannot override'],
    ['more than can be recorded', { ...asked, input: 'x'.repeat(500_000) }, 'at most 400000'],
    ['more levels than can be read', { ...asked, variables: deep(600) }, 'levels deep'],
    ['snake case', { ...asked, max_iterations: 1 }, 'Did you mean maxIterations?'],
    ['a slip', { agent: 'a', inptu: 'b' }, 'Did you mean input?'],
    ['a word of its own', { agent: 'a', prompt: 'b' }, 'unknown field "prompt". Known: agent, input,'],
    ['the id', { ...asked, id: 'x' }, 'id cannot stand here'],
  ])('is refused with %s', (_title, sent, words) => {
    expect(() => readRunStart(sent, [])).toThrow(InvalidInput);
    expect(() => readRunStart(sent, [])).toThrow(words);
  });

  const fields = 'agent input question chatHistory variables overrides model';
  const field = fc.constantFrom(...fields.split(' '));
  const anyStart = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(field, fc.jsonValue()),
    fc.dictionary(field, fc.jsonValue()).map((more) => ({ ...more, ...asked })),
    fc.record({ ...constants(asked), question: fc.jsonValue(), chatHistory: fc.array(fc.jsonValue()) }),
  );
  test('is read from any JSON, or refused with a sentence', () => {
    const isReadOrRefused = (sent: unknown, more: unknown[]) => {
      const start = orRefused(() => readRunStart(sent, more));
      return start === undefined || (isRecordedStart(start) && start.agent.trim() !== '');
    };
    const anyMore = fc.array(fc.jsonValue(), { maxLength: 1 });
    const check = () => fc.assert(fc.property(anyStart, anyMore, isReadOrRefused), { numRuns: 2_000 });
    expect(check).not.toThrow();
  });
});

test.each(junk)('no backtest begins with %j', (sent) => {
  const runs = [{ workflowId: 'a', runId: 'b' }];
  for (const input of [sent, { agent: 'a', runs, concurrency: sent }, { agent: 'a', runs: sent }])
    expect(orRefused(() => readBacktestStart([input], 'backtest:b'))).toBeUndefined();
});

test.each(junk.filter((value) => JSON.stringify(value) !== '{}'))('no session begins with %j', (sent) => {
  expect(orRefused(() => readSessionStart([sent], 'session:s'))).toBeUndefined();
});

test.each(junk)('no signal of a run is %j', (sent) => {
  const { pausedAbove, ...others } = runSignals;
  expect(Object.values(others).filter((read) => read(sent) !== undefined)).toEqual([]);
  expect(pausedAbove(sent)).toBe(sent === true ? true : undefined);
});

/** undefined: refused with a sentence that says what to send. Throws any other error. */
function orRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidInput && /^.{20,}\.$/su.test(error.message)) return undefined;
    throw error;
  }
}

function constants(value: object) {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fc.constant(one)]));
}

function deep(levels: number): unknown {
  return levels === 0 ? 'x' : { a: deep(levels - 1) };
}

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

  test('says so where the server refuses it for another reason', async () => {
    const start = () => Promise.reject(new Error('no connection'));
    await expect(startWithAttributes(new Client(), attributes, start)).rejects.toThrow('no connection');
    const both = () => Promise.reject(wrapped());
    await expect(startWithAttributes(new Client(), attributes, both)).rejects.toThrow('Failed to start');
  });
});

describe('the attributes of a run', () => {
  test('go with its start, also where its agent is known already', () => {
    const attributes = attributesOfRun({ agent: 'a' });
    expect(attributes).toHaveProperty('typedSearchAttributes');
    expect(attributesOfRun({ agent: 'a', manifest: sampleManifest() })).toEqual(attributes);
  });

  test('are none for a name that no server takes', () => {
    expect(attributesOfRun({ agent: 'a'.repeat(3000) })).toEqual({});
  });
});
