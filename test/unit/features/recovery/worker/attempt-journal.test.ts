import { appendFileSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type BegunAttempt,
  openJournal,
  readJournal,
} from '../../../../../features/recovery/worker/attempt-journal.ts';
import { claimOrphans } from '../../../../../features/recovery/worker/claim-orphans.ts';
import { tempFolder } from '../../../../support/temp-folder.ts';

let stateDir: string;
const scope = { namespace: 'default', address: 'here:7233' };
const NOBODY = 2 ** 30;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  stateDir = tempFolder(onTestFinished);
});
afterEach(() => void vi.useRealTimers());

function attempt(activityId: string, more: Partial<BegunAttempt> = {}): BegunAttempt {
  const run = { workflowId: 'run-1', runId: 'a-run', taskQueue: 'reloop', identity: 'the worker' };
  return { ...run, activityId, attempt: 1, at: 1_000, ...more };
}

const folder = () => join(stateDir, 'attempts');
const files = () => readdirSync(folder()).filter((name) => name !== '.gitignore');
const onlyFile = () => join(folder(), files()[0] ?? '');
const idsIn = (file: string) => readJournal(file)?.attempts.map(({ activityId }) => activityId);
const idsTaken = async (of = scope) => (await claimOrphans(stateDir, of)).map(({ activityId }) => activityId);

/** As if the process of the folder's only journal had died. */
function die(change: object = { pid: NOBODY }): void {
  const [owner = '', ...lines] = readFileSync(onlyFile(), 'utf8').split('\n');
  const died = JSON.stringify({ ...(JSON.parse(owner) as object), ...change });
  writeFileSync(onlyFile(), [died, ...lines].join('\n'));
}

test('a journal has the attempts that have begun and not ended', async () => {
  const journal = await openJournal(stateDir, scope);
  const end = journal.begin(attempt('1'));
  journal.begin(attempt('1.1'));
  expect(idsIn(onlyFile())).toEqual(['1', '1.1']);
  end();
  vi.runAllTimers();
  expect(idsIn(onlyFile())).toEqual(['1.1']);
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
});

test('workers of one process, server and namespace share a journal; others have one of their own', async () => {
  const journal = await openJournal(stateDir, scope);
  expect(await openJournal(stateDir, scope)).toBe(journal);
  await openJournal(stateDir, { ...scope, namespace: 'other' });
  expect(files()).toHaveLength(2);
});

test('a torn line is ignored, and what stands around it is not', async () => {
  const journal = await openJournal(stateDir, scope);
  journal.begin(attempt('1'));
  appendFileSync(onlyFile(), '{"n":7,"activityId"\n');
  journal.begin(attempt('2'));
  appendFileSync(onlyFile(), '[1');
  expect(idsIn(onlyFile())).toEqual(['1', '2']);
});

test('a journal stays small over a hundred thousand calls, and keeps what is under way', async () => {
  const journal = await openJournal(stateDir, scope);
  journal.begin(attempt('long'));
  for (let call = 0; call < 100_000; call++) {
    journal.begin(attempt(String(call)))();
    if (call % 100 === 0) vi.runAllTimers();
  }
  vi.runAllTimers();
  expect(statSync(onlyFile()).size).toBeLessThan(100_000);
  expect(idsIn(onlyFile())).toEqual(['long']);
});

test('attempts of a dead process are given to one of many who ask', async () => {
  (await openJournal(stateDir, scope)).begin(attempt('1'));
  die();
  const taken = await Promise.all([idsTaken(), idsTaken(), idsTaken()]);
  expect(taken.flat()).toEqual(['1']);
  expect(files()).toEqual([]);
});

test('a process that has the id of a dead one is another if it began at another time', async () => {
  (await openJournal(stateDir, scope)).begin(attempt('1'));
  expect(await idsTaken()).toEqual([]);
  die({ startedAt: 'another time' });
  expect(await idsTaken()).toEqual(['1']);
});

test.each([
  { left: 'those of another namespace', change: { pid: NOBODY, namespace: 'other' } },
  { left: 'those of another server', change: { pid: NOBODY, address: 'there:7233' } },
  { left: 'those of another machine or container', change: { pid: NOBODY, place: 'elsewhere' } },
  { left: 'those of another version', change: { pid: NOBODY, version: 2 } },
])('$left are left alone', async ({ change }) => {
  (await openJournal(stateDir, scope)).begin(attempt('1'));
  die(change);
  expect(await idsTaken()).toEqual([]);
  expect(files()).toHaveLength(1);
});

test('an attempt is not taken that a live worker has, or that another process is named for', async () => {
  (await openJournal(stateDir, scope)).begin(attempt('mine'));
  const [name = ''] = files();
  const lines = readFileSync(onlyFile(), 'utf8').split('\n');
  const owner = JSON.parse(lines[0] ?? '') as object;
  const others = [
    attempt('mine'),
    attempt('1', { identity: 'reloop worker 4711@host' }),
    attempt('2', { identity: `${NOBODY}@host` }),
  ].map((line, n) => JSON.stringify({ n, ...line }));
  const dead = [JSON.stringify({ ...owner, pid: NOBODY }), ...others, ''].join('\n');
  writeFileSync(join(folder(), 'dead.jsonl'), dead);
  expect(await idsTaken()).toEqual(['2']);
  expect(files()).toEqual([name]);
});
