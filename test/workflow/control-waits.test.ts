import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { human } from '../../tools/human.ts';
import { defineTool } from '../../tools/tool.ts';
import { toldAndRecorded } from '../support/control-paths.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

/** What each run's worker was told, by the run's id. */
const told = new Map<string, RunEvent[]>();

const guarded = defineTool({
  name: 'guarded',
  description: 'asks first',
  approval: (input) => {
    if (input === 'odd') throw new Error('odd');
    return true;
  },
  retry: { maxAttempts: 1 },
  run(input) {
    if (input === 'break') throw new Error('broken');
    return `did ${input}`;
  },
});
const job = defineTool({
  name: 'job',
  description: 'leaves it to others',
  async run(_input, ctx) {
    await ctx.defer();
    return 'queued';
  },
});
const tools = [
  guarded,
  job,
  human(),
  human({ name: 'hasty', askTimeout: 200 }),
  human({ name: 'strict', askTimeout: { after: 200, unanswered: 'fail' } }),
];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      agent('guarded', act('guarded', 'a')),
      agent('odd', act('guarded', 'odd')),
      agent('broken', act('guarded', 'break')),
      agent('remembered', act('guarded', 'a'), act('guarded', 'b')),
      agent('job', act('job', 'x')),
      agent('person', act('ask_human', 'q?')),
      agent('hasty', act('hasty', 'q?')),
      agent('strict', act('strict', 'q?')),
    ],
    onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
  });
}, 60_000);
afterAll(() => rig.stop());

const waiting = (run: AgentRun, n = 0) =>
  eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.n === n);

const paths: [what: string, agent: string, steer: (run: AgentRun) => Promise<unknown>][] = [
  [
    'an approval',
    'guarded',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'approve' });
    },
  ],
  [
    'an approval with another input',
    'guarded',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'approve', input: 'mine' });
    },
  ],
  [
    'a rejection of what nobody could say of whether to ask',
    'odd',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'reject', reason: 'no' });
    },
  ],
  [
    'a result in the place of an approval',
    'guarded',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'resolve', output: 'done by hand' });
    },
  ],
  [
    'an approved call that fails and is tried again',
    'broken',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'approve' });
      await waiting(run, 1);
      await run.decide('1.1', { type: 'retry', input: 'mended' });
    },
  ],
  [
    'an approval that is remembered',
    'remembered',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'approve', remember: 'tool' });
    },
  ],
  [
    'a deferred call that is started again, and then given its result',
    'job',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'retry' });
      await waiting(run, 1);
      await run.decide('1.1', { type: 'resolve', output: { rows: 3 } });
    },
  ],
  [
    'a person who is asked another question and answers',
    'person',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'retry', input: { question: 'or what?' } });
      await waiting(run, 1);
      await run.decide('1.1', { type: 'resolve', output: 'that one' });
    },
  ],
  [
    'a run that is cancelled while a person is asked',
    'person',
    async (run) => {
      await waiting(run);
      await run.cancel();
    },
  ],
  ['nobody who answers', 'hasty', async () => undefined],
  ['nobody who answers, which fails it', 'strict', async () => undefined],
];

describe("the worker's onEvent and the run's history say the same", () => {
  test.each(paths)('when a run sees %s', async (_what, name, steer) => {
    const run = await rig.client.start(name, 'what?');
    await steer(run);
    await run.result().catch(() => undefined); // some are meant to fail
    const { told: heard, recorded, lines } = await toldAndRecorded(run, () => told.get(run.id) ?? []);
    expect(heard).toEqual(recorded);
    expect(lines).toMatchSnapshot();
  });
});
