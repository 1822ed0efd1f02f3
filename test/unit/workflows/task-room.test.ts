import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../../agent/values/limits.ts';

// The module under test is loaded with the fake of its package, and not left to the next file.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const workflow = vi.hoisted(() => ({ historyLength: 1, timers: [] as (() => void)[] }));
vi.mock('@temporalio/workflow', () => ({
  workflowInfo: () => ({ historyLength: workflow.historyLength }),
  sleep: () => new Promise<void>((resolve) => workflow.timers.push(resolve)),
  CancellationScope: { nonCancellable: (run: () => unknown) => run() },
}));
const { taskRoom } = await import('../../../workflows/task-room.ts');

/** Sends commands of these sizes, in one workflow task if they fit, and gives the bytes that each task sent. */
async function tasksOf(send: Send, sizes: number[]) {
  const room = taskRoom();
  const tasks: number[] = [];
  const begin = () => void tasks.push(0);
  const add = (bytes: number) => void (tasks[tasks.length - 1] = (tasks.at(-1) ?? 0) + bytes);
  begin();
  for (const bytes of sizes) send(room, bytes, () => add(bytes));
  while (workflow.timers.length > 0) {
    workflow.historyLength++;
    begin();
    for (const fire of workflow.timers.splice(0)) fire();
    await new Promise(setImmediate);
  }
  return tasks;
}

type Room = ReturnType<typeof taskRoom>;
/** A JSON text has two quotes. */
const text = (bytes: number) => 'x'.repeat(bytes - 2);
const next = (sent: () => void) => () => {
  sent();
  return Promise.resolve() as never;
};

type Send = (room: Room, bytes: number, sent: () => void) => void;
const schedule = (room: Room, sent: () => void, args: unknown[], headers = {}) =>
  void room.scheduleActivity?.({ args, headers } as never, next(sent));

const commands: [what: string, Send][] = [
  ['inputs of activities', (room, bytes, sent) => schedule(room, sent, [text(bytes)])],
  [
    'headers of activities',
    (room, bytes, sent) => schedule(room, sent, [], { a: { data: new Uint8Array(bytes) } }),
  ],
  ['bytes', (room, bytes, sent) => schedule(room, sent, [new Uint8Array(bytes)])],
  [
    'starts of child workflows',
    (room, bytes, sent) => {
      const input = { options: { args: [text(bytes)] } };
      void room.startChildWorkflowExecution?.(input as never, next(sent));
    },
  ],
  [
    'signals',
    (room, bytes, sent) => void room.signalWorkflow?.({ args: [text(bytes)] } as never, next(sent)),
  ],
];

beforeEach(() => {
  workflow.historyLength = 1;
  workflow.timers.length = 0;
});

const third = limits.taskBytes / 3;

test.each(commands)(
  '%s beyond the bound of a workflow task go with the next, in order',
  async (_what, send) => {
    expect(await tasksOf(send, [third, third, third, third, 10])).toEqual([3 * third, third + 10]);
  },
);

test.each(commands)('one command of more %s than the bound goes alone', async (_what, send) => {
  const large = limits.taskBytes + 1;
  expect(await tasksOf(send, [large, 10, large])).toEqual([large, 10, large]);
});

test('commands that fit are sent at once', () => {
  const room = taskRoom();
  const sent: number[] = [];
  for (const [index, [, send]] of commands.entries()) send(room, 100, () => sent.push(index));
  expect(sent).toEqual(commands.map((_, index) => index));
});

test('an argument that is not JSON is left to the data converter', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const room = taskRoom();
  const send = vi.fn<() => Promise<never>>();
  void room.scheduleActivity?.({ args: [circular, undefined, 1n], headers: {} } as never, send);
  expect(send).toHaveBeenCalledOnce();
});
