import { describe, expect, test } from 'vitest';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { AgentRun } from '../../client/api/agent-run.ts';
import { toldAndRecorded } from '../support/told-events.ts';
import { rewoundAgents, rewoundPaths } from '../support/rewound-paths.ts';
import { follow, loopPaths, loopTools } from '../support/loop-paths.ts';
import { operatedPaths, operatedTools } from '../support/operated-paths.ts';
import { otherWorker, steeredAgents, steeredPaths } from '../support/steered-paths.ts';
import { limitedAgents, limitedPaths } from '../support/limited-paths.ts';
import { restartedAgents, restartedPaths } from '../support/restarted-paths.ts';
import { useOtherWorker } from '../support/other-worker.ts';
import type { Steer } from '../support/steering.ts';
import { useRig } from '../support/rig.ts';
import { promptOf } from '../support/scripts.ts';

/**
 * Each path through the loop, told twice: by the worker as it happens, and by history. What history says of the recorded
 * paths is in test/fixtures/golden, and that the workflow still does it in test/replay; of the others it is said here.
 */

/** Events that say no more than that the loop continues. */
const USUAL = /^(?:run_started|continued|model_started|model_ended|action|tool_started|used|finish)/u;
/** What each recorded path says. */
const paths = new Map<string, string>();
const others = [...steeredAgents, ...limitedAgents, ...restartedAgents];
const told = new Map<string, RunEvent[]>();
const models = new Map(others.map(({ name, model }) => [name, model]));
useOtherWorker(otherWorker);
const rig = useRig({
  agents: [
    ...loopPaths.map(({ name, model, options }) => ({ name, model, tools: loopTools, ...options })),
    ...operatedPaths.map(({ name, model, options }) => ({ name, model, tools: operatedTools, ...options })),
    ...others,
    ...rewoundAgents,
  ],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});

/** The run after its sub-agents: both ways to hear of them, and what the run says. */
async function endOf(run: AgentRun, options?: { sideBySide: boolean }) {
  await run.result().catch(() => undefined); // some are meant to fail
  const family = [...told.keys()].filter((id) => id.startsWith(`${run.id}/`));
  const of = (id: string) => toldAndRecorded(rig.client.get(id), () => told.get(id) ?? [], options);
  const all = (await Promise.all([...family, run.id].map(of))).map(sinceStart);
  return {
    heard: all.map((each) => each.told),
    recorded: all.map((each) => each.recorded),
    said: short((all.at(-1)?.lines ?? []).filter((line) => !USUAL.test(line)).join(', ')),
  };
}

/** A run that was retried, rewound after its end, or forked: its worker is told nothing of what was done before. */
function sinceStart(said: Awaited<ReturnType<typeof toldAndRecorded>>) {
  // To history alone it matters where a run was continued as new.
  const recorded = said.recorded.filter((event) => typeOf(event) !== 'continued');
  const types = said.told.map(typeOf);
  const isStart = (type: unknown, at: number) =>
    type === 'restarted' && [undefined, 'run_ended'].includes(types[at - 1]);
  const start = types.findLastIndex(isStart);
  if (start < 0) return { ...said, recorded };
  const since = recorded.findLastIndex((event) => typeOf(event) === 'restarted');
  return { ...said, told: said.told.slice(start), recorded: recorded.slice(since) };
}

/** Of a long run the beginning and the end. */
function short(text: string): string {
  const words = text.replaceAll(/ {2,}/gu, ' ');
  return words.length < 600 ? words : `${words.slice(0, 120)} … ${words.slice(-120)}`;
}

const typeOf = (event: unknown) => fieldOf(event, 'type') as string | undefined;

describe('a worker is told what history says', () => {
  test.each(loopPaths)('on the path $name', async ({ name, decide, options }) => {
    const run = await rig.client.start(name, 'what?');
    await follow(run, decide);
    const { heard, recorded, said } = await endOf(run, {
      sideBySide: options !== undefined && 'kind' in options,
    });
    expect(heard).toEqual(recorded);
    paths.set(name, said);
  });

  test.each(operatedPaths)('on the path $name', async ({ name, steer }) => {
    const run = await rig.client.start(name, 'what?');
    const more = (await steer(run, rig.client)) ?? {};
    for (const [path, each] of Object.entries({ ...more, [name]: run })) {
      const { heard, recorded, said } = await endOf(each);
      expect(heard).toEqual(recorded);
      paths.set(path, said);
    }
  });

  test('on each recorded path what it has always said', () => {
    expect(Object.fromEntries(paths)).toMatchSnapshot();
  });

  async function holds(_path: string, name: string, steer: Steer, says: string, sees = ''): Promise<void> {
    const begun = await rig.client.start(name, 'what?');
    const run = await steer(begun, rig.client);
    const { heard, recorded, said } = await endOf(run instanceof AgentRun ? run : begun);
    expect(heard).toEqual(recorded);
    expect(said.replace(/run_ended: (\w+), \w+$/u, '$1')).toBe(says);
    const last = models.get(name)?.requests.at(-1)?.request;
    expect(last === undefined ? '' : promptOf(last)).toContain(sees);
  }

  test.each([...steeredPaths, ...limitedPaths])('on the path of %s', holds);

  test.concurrent.each([...restartedPaths, ...rewoundPaths])('on the path of %s', holds);

  test('on each decision and each message to a run', () => {
    const events = [...told.values()].flat();
    const said = events.flatMap((event) => {
      if (event.type === 'decided') return [event.decision.type];
      return event.type === 'steered' ? [event.message.type] : [];
    });
    const missing = [...decisionNames, ...runMessageNames].filter(
      (name) => !said.some((one) => one === name),
    );
    // It takes a lost attempt: lost-attempt.test.ts.
    expect(missing).toEqual(['reconcile']);
  });
});
