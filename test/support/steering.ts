import type { OperatorDecision } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { AgentRun } from '../../client/api/agent-run.ts';
import { eventOf, waitOf } from './rig.ts';

/** One thing that people do with a run. A run that it returns, as of a fork, is the one that later steps are for. */
export type Steer = (run: AgentRun, client: AgentClient) => Promise<unknown>;

/** A path of a run: its name, the agent, what people do, what history says then, and what the last prompt has in it. */
export type SteeredPath = [path: string, agent: string, steer: Steer, says: string, sees?: string];

export const nothing: Steer = () => Promise.resolve();

/** One step after the other. */
export function inOrder(...steers: Steer[]): Steer {
  return async (first, client) => {
    let run = first;
    for (const steer of steers) {
      const next = await steer(run, client);
      if (next instanceof AgentRun) run = next;
    }
    return run;
  };
}

/** Waits for the n-th wait of a call, which has these fields, and decides. */
export function at(
  call: string,
  n: number,
  decision?: OperatorDecision,
  fields: Partial<WaitingCall> = {},
): Steer {
  return async (run) => {
    await waitOf(run, { call, n, ...fields });
    if (decision !== undefined) await run.decide(call, decision, n);
  };
}

/** Waits for the first wait, the second, and so on of a call, and decides. */
export const decide =
  (...decisions: OperatorDecision[]): Steer =>
  async (run) => {
    for (const [n, decision] of decisions.entries()) {
      const { call } = await waitOf(run, { n });
      await run.decide(call, decision);
    }
  };

export const extend =
  (by: Parameters<AgentRun['extend']>[0]): Steer =>
  (run) =>
    waitOf(run, { reason: 'limit' }).then(() => run.extend(by));

/** More turns, at once. */
export const grant =
  (iterations: number): Steer =>
  (run) =>
    run.extend({ iterations });

export const say =
  (text: string): Steer =>
  (run) =>
    run.say(text);

/** Resolves when the run is over, however it ended. */
export const over: Steer = (run) =>
  run.result().then(
    () => undefined,
    () => undefined,
  );

export const aborted = (call: string, n: number, fields?: Partial<WaitingCall>): Steer =>
  inOrder(at(call, n, { type: 'abort' }, fields), over);

export const cancelled: Steer = async (run, client) => {
  await run.cancel();
  await over(run, client);
};

export const retry =
  (...options: Parameters<AgentRun['retry']>): Steer =>
  (run) =>
    run.retry(...options);

/** Takes a run back when it is over. */
export const rewindEnded =
  (step: number): Steer =>
  async (run, client) => {
    await over(run, client);
    await run.rewind({ step });
  };

export const rewind =
  (step: number): Steer =>
  (run) =>
    run.rewind({ step });

export const fork =
  (options: Parameters<AgentRun['fork']>[0]): Steer =>
  async (run, client) =>
    client.get((await run.fork(options)).id);

/** The same for a sub-agent of the run. */
export const below =
  (call: string, steer: Steer): Steer =>
  async (run, client) => {
    await steer(client.get(`${run.id}/${call}`), client);
  };

/** Waits until a tool runs. */
export const begun: Steer = (run) => eventOf(run, 'tool_started');
