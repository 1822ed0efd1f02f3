import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { afterEach, describe, expect, test } from 'vitest';
import { AgentClient } from '../../../../client/api/agent-client.ts';
import { AgentBudgets } from '../../../../client/api/agent-budgets.ts';
import { AgentRun } from '../../../../client/api/agent-run.ts';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { AgentSession } from '../../../../client/api/agent-session.ts';
import { AgentSchedule } from '../../../../features/schedules/client/agent-schedule.ts';
import { Backtest } from '../../../../client/backtest/backtest-handle.ts';
import { outcomeOf } from '../../../../client/connect/update-run.ts';
import { failedCall } from '../../../../client/connect/closed-channel.ts';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const ADDRESS = '127.0.0.1:1';
const opened: Client[] = [];

/** Nobody listens at the address, and nothing is tried twice. */
function deaf(interceptors: Interceptor[] = []): Client {
  const client = new Client({ connection: Connection.lazy({ address: ADDRESS, interceptors }) });
  opened.push(client);
  return client;
}
afterEach(() => Promise.all(opened.splice(0).map(({ connection }) => connection.close())));

/** As the server answers for a run whose workflow task has failed three times in a row. */
const notReady: Interceptor = () => failedCall(9, 'Task failed.');

const agentClient = () => new AgentClient(deaf(), ADDRESS, 'reloop');
const agentRun = () => new AgentRun(deaf(), 'r1');
const session = () => new AgentSession(deaf(), 's1');
const backtest = () => new Backtest(deaf(), 'b1');
const token = `${'0'.repeat(32)}:1.1:r1`;

type Call = () => unknown;

const schedule = { agent: 'a', input: 'q', spec: { cronExpressions: ['0 7 * * *'] } };
const agentSchedule = () => agentClient().schedule('s1');
const time = { start: new Date(0), end: new Date(1) };

const question = { id: 'm1', agent: 'a', input: 'q' };

/** Every public method; `undefined`: one that asks nothing of the server. */
const methods: [of: { name: string; prototype: object }, calls: { [method: string]: Call | undefined }][] = [
  [
    AgentClient,
    {
      start: () => agentClient().start('a', 'q'),
      run: () => agentClient().run('a', 'q'),
      batch: async () => {
        const [result] = await agentClient().batch('a', ['q']);
        if (result?.status === 'rejected') throw result.reason;
      },
      backtest: () => agentClient().backtest('a', { runs: ['r1'] }),
      resolve: () => agentClient().resolve(token, 'x'),
      list: () => agentClient().list().next(),
      listPage: () => agentClient().listPage(),
      sessions: () => agentClient().sessions().next(),
      schedules: () => agentClient().schedules(),
      syncSchedules: () => agentClient().syncSchedules({ s1: schedule }),
      budgets: undefined,
      schedule: undefined,
      as: undefined,
      get: undefined,
      session: undefined,
      close: undefined,
    },
  ],
  [
    AgentBudgets,
    {
      list: () => agentClient().budgets().list(),
      extend: () => agentClient().budgets().extend('b', { cost: 1 }),
    },
  ],
  [
    AgentRun,
    {
      result: () => agentRun().result(),
      events: () => agentRun().events().next(),
      toResponse: () => agentRun().toResponse(),
      requests: () => agentRun().requests().next(),
      describe: () => agentRun().describe(),
      export: () => agentRun().export(),
      underWay: () => agentRun().underWay(),
      decide: () => agentRun().decide('1.1', { type: 'retry' }),
      say: () => agentRun().say('x'),
      pause: () => agentRun().pause(),
      resume: () => agentRun().resume(),
      extend: () => agentRun().extend({ iterations: 1 }),
      tell: () => agentRun().tell('pause'),
      rewind: () => agentRun().rewind({ step: 1 }),
      fork: () => agentRun().fork({ step: 1 }),
      retry: () => agentRun().retry(),
      cancel: () => agentRun().cancel(),
      labels: () => agentRun().labels(),
      recordedStart: () => agentRun().recordedStart(),
      startedWith: () => agentRun().startedWith('a', 'q'),
      exists: () => agentRun().exists(),
    },
  ],
  [
    AgentSession,
    {
      describe: () => session().describe(),
      clear: () => session().clear(),
      labels: () => session().labels(),
      send: () => session().send(question, { taskQueue: 'reloop', detach: false }),
    },
  ],
  [
    Backtest,
    {
      progress: () => backtest().progress().next(),
      report: () => backtest().report(),
      describe: () => backtest().describe(),
      cancel: () => backtest().cancel(),
    },
  ],
  [
    AgentSchedule,
    {
      create: () => agentSchedule().create(schedule),
      describe: () => agentSchedule().describe(),
      pause: () => agentSchedule().pause(),
      resume: () => agentSchedule().resume(),
      trigger: () => agentSchedule().trigger(),
      backfill: () => agentSchedule().backfill(time),
      delete: () => agentSchedule().delete(),
    },
  ],
];

const named = methods.map(([of, calls]) => ({ name: of.name, prototype: of.prototype, calls }));
describe.each(named)('$name', ({ prototype, calls }) => {
  test('is listed here with every method', () => {
    const all = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
      typeof value === 'function' && name !== 'constructor' ? [name] : [],
    );
    expect(Object.keys(calls).toSorted()).toEqual(all.toSorted());
  });

  const asking = Object.entries(calls).filter(([, call]) => call !== undefined);
  test.each(asking)('%s throws TemporalUnreachable where nobody answers', async (_name, call) => {
    const message = expect.stringContaining(ADDRESS);
    const error = { name: 'TemporalUnreachable', message, cause: expect.any(Error) };
    await expect((async () => call?.())()).rejects.toMatchObject(error);
  });
});

test('a run whose workflow task keeps failing refuses a message, and says why', async () => {
  const error = { name: 'DecisionRefused', message: expect.stringContaining('Nothing was changed') };
  const cause = { name: 'ServiceError' };
  await expect(new AgentRun(deaf([notReady]), 'r1').pause()).rejects.toMatchObject({ ...error, cause });
});

describe('an update that the server refuses while workflow tasks fail', () => {
  const refusal = Object.assign(new Error('Task failed.'), { code: 9, details: '', metadata: {} });
  const unknown = () => Promise.reject(new WorkflowNotFoundError('not found', 'r1', undefined));
  /** `tasks`: the attempts of the workflow task that a worker has, as the server says one after the other. */
  const handleOf = (results: (() => Promise<string>)[], tasks: number[] = []) => {
    const describe = () => {
      const attempt = tasks.shift();
      return Promise.resolve({ raw: { pendingWorkflowTask: attempt && { state: 2, attempt } } });
    };
    const getUpdateHandle = () => ({ result: () => (results.shift() ?? unknown)() });
    return { describe, getUpdateHandle } as unknown as WorkflowHandle;
  };

  test('has the outcome of the update that the server admitted before', async () => {
    const ids: string[] = [];
    const handle = handleOf([() => Promise.resolve('taken')]);
    const outcome = outcomeOf(handle, (id) => {
      ids.push(id);
      return Promise.reject(refusal);
    });
    await expect(outcome).resolves.toBe('taken');
    expect(ids).toEqual([expect.stringMatching(/^[\da-f-]{36}$/u)]);
  });

  test('is refused if the server does not know the update, and no worker has a task', async () => {
    await expect(outcomeOf(handleOf([]), () => Promise.reject(refusal))).rejects.toBe(refusal);
  });

  test('has the outcome of the update that a worker had when the server was restarted', async () => {
    const tasks = [7, 7, 8];
    const handle = handleOf([unknown, () => Promise.resolve('taken')], tasks);
    await expect(outcomeOf(handle, () => Promise.reject(refusal))).resolves.toBe('taken');
    expect(tasks).toEqual([]);
  });

  test('is not asked about after another error', async () => {
    const handle = handleOf([() => Promise.resolve('taken')]);
    const error = new Error('other');
    await expect(outcomeOf(handle, () => Promise.reject(error))).rejects.toBe(error);
  });
});
