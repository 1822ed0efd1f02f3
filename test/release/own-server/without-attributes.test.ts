import { beforeAll, describe, expect, test } from 'vitest';
import { searchAttributes } from '../../../agent/values/names.ts';
import { cli } from '../../../cli/cli.ts';
import type { RunSummary } from '../../../client/read/list-runs.ts';
import type { RunFilters } from '../../../client/read/run-filters.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { fakeIo } from '../../support/fake-io.ts';
import { useRig } from '../../support/rig.ts';
import { act, answer, modelOf } from '../../support/scripts.ts';
import { brokenTool } from '../../support/sample-tools.ts';
import { allOf } from '../../support/all-of.ts';

/** A server whose operator took our search attributes away: what they said has to be read from the runs. */
const broken = brokenTool();
const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps',
  run: (_input, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('woken')))),
});
const tools = [broken, sleeper];
const says = (...replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('done'));
const rig = useRig(
  {
    agents: [
      { name: 'waits', model: says(act('broken', 'x')), tools },
      { name: 'runs', model: says(act('sleeper', 'x')), tools },
      { name: 'answers', model: says(), tools },
      { name: 'stops', model: says(), tools, maxIterations: 0 },
    ],
  },
  { server: [] },
);
beforeAll(async () => {
  for (const agent of ['waits', 'runs', 'answers', 'stops']) {
    await rig.client.start(agent, `what of ${agent}?`, { id: agent });
  }
  await rig.client.get('stops').result();
  await until(async () => (await rig.client.get('waits').describe()).status === 'waiting');
  await until(async () => (await found({})).filter(({ closedAt }) => closedAt !== null).length >= 2);
  await rig.temporal.connection.operatorService.removeSearchAttributes({
    namespace: 'default',
    searchAttributes: [...searchAttributes],
  });
  await until(async () => (await rig.client.listPage({ agent: 'waits' })).unindexed);
}, 60_000);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
}

const found = (filters: RunFilters): Promise<RunSummary[]> => allOf(rig.client.list(filters));

describe('a server without the search attributes', () => {
  test('still has the runs of an agent, with their statuses', async () => {
    expect(await found({ agent: 'stops' })).toMatchObject([{ id: 'stops', status: 'stopped' }]);
    expect((await found({ status: 'running' })).map(({ id }) => id)).toEqual(['runs']);
    expect((await found({})).map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
      'answers completed',
      'runs running',
      'stops stopped',
      'waits waiting',
    ]);
  });

  test('is said to be slower, once', async () => {
    const io = fakeIo();
    const args = ['list', '--status', 'waiting', '--all', '--json', '--address', rig.client.address];
    expect(await cli(args, io)).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject([{ id: 'waits' }]);
    expect(io.err().match(/slower/gu)).toHaveLength(1);
  });
});
