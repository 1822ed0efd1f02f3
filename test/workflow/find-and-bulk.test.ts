import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { cli } from '../../cli/cli.ts';
import type { RunSummary } from '../../client/read/list-runs.ts';
import type { RunFilters } from '../../client/read/run-filters.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** The server is shared with other tests: what is looked for here has names that nobody else gives. */
const mine = randomUUID().slice(0, 8);
const asker = `asker-${mine}`;
const quoting = `say "${mine}" it's \\`;
const parent = `parent-${mine}`;
const child = `child-${mine}`;
const talker = `talker-${mine}`;
const RUNS = 30;
/** The server may leave a run out of a page while it writes the run's attributes anew. */
const INDEXED = { timeout: 10_000 };
const mended = new Set<string>();
const broken = (name: string) =>
  defineTool({
    name,
    description: 'fails until it is mended',
    retry: { maxAttempts: 1 },
    run(input) {
      if (mended.has(input)) return `fine with ${input}`;
      throw new Error('out of order');
    },
  });
/** Calls the tool that the question names, with what it names, and answers. */
const model = modelOf((step, { prompt }) => {
  const asked = prompt.type === 'text' ? prompt.text : '';
  const [, tool = '', input = ''] = /Question: (search|report|child|nothing) (.*)\n/u.exec(asked) ?? [];
  return step === '1' && tool !== 'nothing' ? act(tool, input) : answer('done');
});
const tools = [broken('search'), broken('report')];
const rig = useRig({
  agents: [
    { name: asker, model, tools },
    { name: quoting, model, tools },
    { name: child, model, tools },
    { name: parent, model, tools: [agentTool({ agent: child, name: 'child', description: 'asks' })] },
    {
      name: talker,
      kind: 'conversational',
      model: modelOf(() => 'Thought: Do I need to use a tool? No\nAI: hello'),
    },
  ],
});

async function command(args: string[], { typed = '', terminal = false } = {}) {
  const io = fakeIo({ typed, terminal, columns: 200 });
  const code = await cli([...args, '--address', inject('temporalAddress')], io);
  return { code, out: io.out(), err: io.err() };
}

const found = (filters: RunFilters): Promise<RunSummary[]> =>
  allOf(rig.client.list({ limit: 1000, ...filters }));

/** The server's list lags behind. */
async function untilFound(filters: RunFilters, amount: number): Promise<RunSummary[]> {
  for (;;) {
    const runs = await found(filters);
    if (runs.length === amount) return runs;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function ask(agent: string, questions: string[]) {
  await Promise.all(
    questions.map((question) =>
      rig.client.start(agent, question, { id: `${question.replaceAll(' ', '-')}-${mine}` }),
    ),
  );
}

const numbered = (tool: string, amount: number, from = 0) =>
  Array.from({ length: amount }, (_, index) => `${tool} ${index + from}`);
const ids = (runs: RunSummary[]) => runs.map(({ id }) => id).toSorted();

describe('runs that are looked for', () => {
  test('are found by status, agent, time and text, page after page, each once', async () => {
    await ask(asker, [...numbered('search', RUNS), ...numbered('nothing', 3)]);
    const waiting = await untilFound({ agent: asker, status: 'waiting' }, RUNS);
    expect(new Set(ids(waiting)).size).toBe(RUNS);
    await untilFound({ agent: asker, status: 'completed' }, 3);
    expect(await found({ agent: asker })).toHaveLength(RUNS + 3);
    expect(await found({ agent: asker, status: ['completed', 'stopped'] })).toHaveLength(3);
    expect(await found({ agent: asker, until: new Date(Date.now() - 3_600_000) })).toEqual([]);
    expect(
      await found({ agent: asker, since: new Date(Date.now() - 3_600_000), text: 'SEARCH 1' }),
    ).toHaveLength(11);

    const pages = async () => {
      const all: string[][] = [];
      let page: string | undefined;
      do {
        const next = await rig.client.listPage({ agent: asker, text: 'search', limit: 7, page });
        all.push(ids(next.runs));
        page = next.nextPage ?? undefined;
      } while (page !== undefined);
      return { lengths: all.map(({ length }) => length), ids: all.flat().toSorted() };
    };
    await expect.poll(pages, INDEXED).toEqual({ lengths: [7, 7, 7, 7, 2], ids: ids(waiting) });
  });

  test('are printed by the command, and the way to the next page on stderr', async () => {
    const twoPages = async () => {
      const first = await command(['list', '--agent', asker, '--limit', '20', '--json']);
      const [, token = ''] = /--page (\S+),/u.exec(first.err) ?? [];
      const rest = await command(['list', '--agent', asker, '--limit', '20', '--json', '--page', token]);
      expect(rest.err).toBe('');
      const both = [first, rest].map(({ out }) => JSON.parse(out) as RunSummary[]);
      const different = new Set(both.flat().map(({ id }) => id)).size;
      return { lengths: both.map(({ length }) => length), different };
    };
    await expect.poll(twoPages, INDEXED).toEqual({ lengths: [20, RUNS + 3 - 20], different: RUNS + 3 });
    const all = await command(['list', '--agent', asker, '--all']);
    expect(all.out.trim().split('\n')).toHaveLength(RUNS + 3 + 1);
    const waiting = await command(['list', '--agent', asker, '--status', 'waiting', '--all', '--json']);
    const since = (JSON.parse(waiting.out) as RunSummary[]).map((run) => run.waiting?.[0]?.since ?? 0);
    expect(since).toHaveLength(RUNS);
    expect(since).toEqual(since.toSorted((a, b) => a - b));
  });

  test('may have agents and sessions whatever their names', async () => {
    await rig.client.run(quoting, 'nothing q');
    await untilFound({ agent: quoting }, 1);
    expect(await found({ agent: `${quoting}" OR ReloopAgent != "` })).toEqual([]);
    expect(await found({ agent: quoting, status: 'completed' })).toHaveLength(1);

    for (const session of [`plain ${mine}`, quoting]) {
      await rig.client.run(talker, `hello in ${session}`, { session });
      await untilFound({ session, agent: talker }, 1);
      expect(await found({ session })).toMatchObject([{ session, input: `hello in ${session}` }]);
    }
  });

  test('are refused for a page that is none, and for an agent that nobody has', async () => {
    await expect(rig.client.listPage({ page: 'nonsense' })).rejects.toMatchObject({ name: 'InvalidInput' });
    const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
    for (const [args, part] of [
      [['list', '--page', 'nonsense'], 'is not a page of this list'],
      [['list', '--agent', 'askr', ...config], 'asker, named'],
    ] as const) {
      const { code, out, err } = await command([...args]);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toContain(part);
    }
  });
});

describe('a decision on everything that fits', () => {
  test('changes nothing with --dry-run, without a terminal and without a yes', async () => {
    const filters = ['--all', '--agent', asker, '--tool', 'search'];
    const dry = await command(['retry', ...filters, '--dry-run', '--json']);
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.out)).toMatchObject({ matched: RUNS, done: 0, refused: [] });
    const blind = await command(['retry', ...filters]);
    expect(blind).toMatchObject({ code: 2, out: '' });
    expect(blind.err).toContain('--yes');
    const asked = await command(['retry', ...filters], { terminal: true, typed: 'n\n' });
    expect(asked.code).toBe(1);
    expect(asked.err).toContain(`retry: ${RUNS} calls of ${RUNS} runs. Continue? [y/N]`);
    expect(asked.err).toContain(`search-0-${mine}`);
    expect(await found({ agent: asker, status: 'waiting' })).toHaveLength(RUNS);
  });

  test('is refused for a call that was decided meanwhile, and done for all others', async () => {
    for (let index = 0; index < RUNS; index++) mended.add(String(index));
    mended.delete('5');
    const io = fakeIo({ terminal: true, columns: 200 });
    // Typed when the question is there and the call has been decided by somebody else.
    const typed = (async function* () {
      while (!io.err().includes('[y/N]')) await new Promise((resolve) => setTimeout(resolve, 20));
      await rig.client.get(`search-5-${mine}`).decide('1.1', { type: 'retry' });
      await untilParkedAgain(`search-5-${mine}`);
      yield 'y\n';
    })();
    const { Readable } = await import('node:stream');
    const stdin = Object.assign(Readable.from(typed), { isTTY: true });
    const args = ['retry', '--all', '--agent', asker, '--waiting', 'failed', '--json'];
    const code = await cli([...args, '--address', inject('temporalAddress')], { ...io, stdin });
    expect(code).toBe(1);
    const result = JSON.parse(io.out()) as { refused: { message: string }[] };
    expect(result).toMatchObject({
      matched: RUNS,
      done: RUNS - 1,
      refused: [{ id: `search-5-${mine}`, call: '1.1' }],
    });
    expect(result.refused[0]?.message).toContain('is at wait 1 by now, not 0');
    await untilFound({ agent: asker, status: 'completed' }, RUNS - 1 + 3);
  });

  test('with data resolves what waits, and cancel ends the runs', async () => {
    const resolved = await command(['resolve', '--all', 'by hand', '--agent', asker, '--yes']);
    expect(resolved).toMatchObject({ code: 0, out: '' });
    expect(resolved.err).toContain('1 done, 0 refused.');
    const { intermediateSteps } = await rig.client.get(`search-5-${mine}`).result();
    expect(intermediateSteps).toMatchObject([{ call: '1.1', observation: 'by hand' }]);

    await ask(asker, numbered('report', 3, RUNS));
    await untilFound({ agent: asker, status: 'waiting' }, 3);
    const over = await command(['cancel', '--all', '--agent', asker, '--status', 'completed', '--yes']);
    expect(over).toMatchObject({ code: 2, out: '' });
    const cancelled = await command([
      'cancel',
      '--all',
      '--agent',
      asker,
      '--tool',
      'report',
      '--yes',
      '--json',
    ]);
    expect(JSON.parse(cancelled.out)).toMatchObject({ matched: 3, done: 3, refused: [] });
    await untilFound({ agent: asker, status: 'cancelled' }, 3);
  });

  test('reaches a sub-agent through its parent, or by its own name, and only once', async () => {
    await ask(parent, ['child report one', 'child report two']);
    await untilFound({ agent: child, status: 'waiting' }, 2);
    await untilFound({ agent: parent, status: 'waiting' }, 2);
    const dry = await command(['skip', '--all', '--text', 'report two', '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({
      matched: 1,
      found: [{ id: `child-report-two-${mine}`, call: '1.1/1.1', tool: 'report' }],
    });
    expect((await command(['skip', '--all', '--text', 'report two', '--yes'])).code).toBe(0);
    expect((await command(['skip', '--all', '--agent', child, '--yes'])).code).toBe(0);
    await untilFound({ agent: parent, status: 'completed' }, 2);
  });
});

async function untilParkedAgain(id: string): Promise<void> {
  for (;;) {
    const { waiting } = await rig.client.get(id).describe();
    if (waiting.some(({ n }) => n > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
