import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CUT_CALL, cancelledTool } from '../../agent/observation/observations.ts';
import type { AgentRun } from '../../client/index.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** Calls that are to end, at the run's time limit or by a person, after their worker was killed and before that is known. */

/** A second more than the agents' limit. */
const OVER_DEADLINE_MS = 9_000;
let rig: CrashRig;
let record: string;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/deadline.config.ts',
    replies({ prompt }) {
      if (prompt.includes('Think.')) return { hang: true };
      if (prompt.includes('cancelled before it ended')) return answer('without it');
      return act(prompt.includes('strict') ? 'strict' : 'lenient', 'x');
    },
  });
  record = join(rig.folder, 'attempts');
});
afterEach(() => rig.killWorkers());
afterAll(() => rig.stop());

/** Runs whose worker is killed as soon as each is in its first model or tool call. */
async function interrupted(questions: readonly (readonly [agent: string, question: string])[]) {
  const tools = questions.filter(([, question]) => question !== 'Think.').length;
  const before = { attempts: linesOf(record).length, requests: rig.model.requests.length };
  const doomed = rig.startWorker(record);
  const runs = await Promise.all(questions.map(([agent, question]) => rig.client.start(agent, question)));
  await until(
    () =>
      linesOf(record).length >= before.attempts + tools &&
      rig.model.requests.length >= before.requests + questions.length,
  );
  await doomed.killGroup();
  return runs;
}

test('a worker that is killed before the end of its calls leaves them to end as they would have', async () => {
  const cases: readonly {
    agent: string;
    question: 'Act.' | 'Think.';
    end?: (run: AgentRun) => Promise<unknown>;
    result: object;
  }[] = [
    { agent: 'hasty', question: 'Act.', result: cut },
    { agent: 'strict', question: 'Act.', result: cut },
    { agent: 'hasty', question: 'Think.', result: { ...cut, intermediateSteps: [] } },
    {
      agent: 'patient',
      question: 'Act.',
      end: (run) => run.decide('1.1', { type: 'cancelCall' }),
      result: { output: 'without it', intermediateSteps: [{ observation: cancelledTool(undefined) }] },
    },
    { agent: 'patient', question: 'Act.', end: (run) => run.cancel(), result: cancelled },
    { agent: 'patient', question: 'Think.', end: (run) => run.cancel(), result: cancelled },
  ];
  const runs = await interrupted(cases.map(({ agent, question }) => [agent, question] as const));
  const waiting = sleep(OVER_DEADLINE_MS);
  rig.startWorker(record);
  await Promise.all(runs.map(async (run, index) => cases[index]?.end?.(run)));
  await waiting;
  const results = await Promise.all(runs.map((run) => run.result().catch((error: unknown) => error)));
  expect(results).toMatchObject(cases.map(({ result }) => result));
});

const cut = { stopReason: 'max_execution_time', intermediateSteps: [{ observation: CUT_CALL }] };
const cancelled = { name: 'AgentRunCancelled' };
