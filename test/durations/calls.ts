import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL, MODELS, REMOTE } from './agents.ts';
import { type Bench, type Row, beganOnce, during, endOf, start } from './row.ts';
import type { Task } from './task.ts';

const did = ({ key }: Task) => `completed: answer: did ${key}; begun 1`;
const hours = (task: Task) => ({ ...task, seconds: 3600 });

/** Starts the run of a task and does something meanwhile. */
function started(meanwhile: (run: Run, task: Task) => Promise<unknown> = async () => undefined): Row['run'] {
  return async ({ client }, task) => {
    const run = await start(client, 'caller', task);
    await meanwhile(run, task);
    return endOf(run, task);
  };
}
type Run = Awaited<ReturnType<Bench['client']['start']>>;

const answers = [...LOCAL, ...REMOTE].map((tool): Row => ({
  name: `${tool}: answer`,
  task: { tool, end: 'answer' },
  expected: (task) =>
    tool === 'http'
      ? `completed: answer: HTTP 200 OK\n\ndid ${task.key}; begun 1`
      : tool === 'sub_agent'
        ? `completed: answer: answer: did ${task.key}; begun 1`
        : did(task),
  run: started(),
}));

/** A deferred call fails from outside; an error of a `once` call is followed by a person's question. */
const failing = LOCAL.filter((tool) => tool !== 'defer' && tool !== 'once');

const failures = failing.flatMap((tool): Row[] => [
  {
    name: `${tool}: error`,
    task: { tool, end: 'error' },
    expected: () => `completed: answer: The tool ${tool} failed: it broke; begun 1`,
    run: started(),
  },
  {
    name: `${tool}: ToolError`,
    task: { tool, end: 'tool error' },
    expected: () => 'completed: answer: it is closed; begun 1',
    run: started(),
  },
]);

const timeouts = (['plain', 'deaf', 'progress', 'checkpoint'] as const).map((tool): Row => ({
  name: `${tool}: time-out`,
  task: { tool, end: 'time-out' },
  expected({ seconds }) {
    const limited = `${tool}_${seconds}`;
    const words = `${limited} took longer than its time-out of ${seconds} s`;
    return `completed: answer: The tool ${limited} failed: ${words}; begun at most once`;
  },
  run: async ({ client }, task) => {
    const asked = { ...hours(task), tool: `${tool}_${task.seconds}` };
    return beganOnce(await endOf(await start(client, 'caller', asked), task));
  },
}));

const cancels = [...LOCAL.filter((tool) => tool !== 'once'), ...REMOTE].map((tool): Row => ({
  name: `${tool}: cancel`,
  task: { tool, end: 'cancel' },
  expected: () => 'AgentRunCancelled; begun 1',
  async run({ client }, task) {
    const run = await start(client, 'caller', hours(task));
    await during(run, { ...task, seconds: task.seconds * 2 });
    await run.cancel();
    return endOf(run, task);
  },
}));

const steered = LOCAL.flatMap((tool): Row[] => [
  {
    name: `${tool}: pause and resume`,
    task: { tool, end: 'answer' },
    expected: did,
    run: started(async (run, task) => {
      await during(run, task);
      await run.pause();
      await sleep(2000);
      await run.resume();
    }),
  },
]);

const rewound = (['plain', 'deaf', 'progress', 'checkpoint'] as const).map((tool): Row => ({
  name: `${tool}: rewind`,
  task: { tool, end: 'answer' },
  expected: ({ key }) => `completed: answer: did ${key}; begun 2`,
  async run({ client }, task) {
    const run = await start(client, 'caller', { ...task, endless: true });
    await during(run, { ...task, seconds: task.seconds * 2 });
    await run.rewind({ step: 1 });
    return endOf(run, task);
  },
}));

const models = MODELS.flatMap((mode): Row[] => {
  const asked = (task: Task, { client }: Bench) => start(client, mode, task);
  const row = (end: string, expected: Row['expected'], run: Row['run']): Row => ({
    name: `model ${mode}: ${end}`,
    task: { tool: mode, end },
    expected,
    run,
  });
  return [
    row(
      'answer',
      ({ key }) => `completed: did ${key}; begun 1`,
      async (bench, task) => endOf(await asked(task, bench), task),
    ),
    row(
      'cancel',
      () => 'AgentRunCancelled; begun 1',
      async (bench, task) => {
        const run = await asked(hours(task), bench);
        await during(run, { ...task, seconds: task.seconds * 2 });
        await run.cancel();
        return endOf(run, task);
      },
    ),
    ...(mode === 'silent' || mode === 'whole'
      ? [
          row(
            'error',
            () => 'AgentRunFailed ModelBadRequest; begun 1',
            async (bench, task) => endOf(await asked(task, bench), task),
          ),
        ]
      : []),
  ];
});

const silence: Row = {
  name: 'model silent: requestTimeout',
  task: { tool: 'silent', end: 'answer' },
  expected: () => 'AgentRunFailed ModelTimeout; begun at most once',
  run: async ({ client }, task) =>
    beganOnce(await endOf(await start(client, `silent_${task.seconds}`, hours(task)), task)),
};

export const callRows: readonly Row[] = [
  ...answers,
  ...failures,
  ...timeouts,
  ...cancels,
  ...steered,
  ...rewound,
  ...models,
  silence,
];
