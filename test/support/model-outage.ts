import { expect } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { openai } from '../../index.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import type { Rig } from './rig.ts';

const PROBE_MS = 1_000;
/** Default of `modelRetry`, and of `breaker`. */
const MOST_FAILURES = 5;

const HELD_BACK = {
  type: 'ModelServerError',
  message: expect.stringContaining('has an outage and is not asked now') as string,
};

/** A model server that has an outage as long as a test says so, and a config with a breaker. */
export interface ModelOutage {
  isOver: boolean;
  server: ScriptedServer;
  config: ConfigDefinition;
  /** Requests for a model so far. */
  requestsFor(model: string): number;
  /**
   * The most requests for a model in the time since then, where calls are made `atOnce`. The last failure that opens the breaker has
   * the failures before it, and the other calls that are under way.
   */
  mostRequests(sinceMs: number, atOnce: number): number;
}

/** `atOnce`: calls that the worker makes at a time. */
export async function startModelOutage(atOnce: number, fallback?: string): Promise<ModelOutage> {
  const outage = { isOver: false };
  const server = await startScriptedServer(() =>
    outage.isOver ? 'by main' : { status: 503, error: { message: 'overloaded' } },
  );
  const at = (model: string, baseURL: string) => openai(model, { baseURL, apiKey: 'k' });
  const kind = 'tool-calling';
  return Object.assign(outage, {
    server,
    config: {
      models: {
        main: at('m', server.url),
        spared: at('spared', server.url),
        other: at('o', fallback ?? server.url),
      },
      concurrency: atOnce,
      breaker: { failures: MOST_FAILURES, probeEvery: PROBE_MS },
      agents: [
        { name: 'patient', kind, model: 'main' },
        { name: 'single', kind, model: 'main', modelRetry: { initialInterval: 10 } },
        { name: 'covered', kind, model: ['spared', 'other'] },
      ],
    } satisfies ConfigDefinition,
    requestsFor: (model: string) => server.requests.filter(({ body }) => body['model'] === model).length,
    mostRequests: (sinceMs: number, callsAtOnce: number) =>
      MOST_FAILURES + callsAtOnce - 1 + Math.ceil((performance.now() - sinceMs) / PROBE_MS),
  });
}

/** Starts runs in an outage, and ends the outage when calls have come more often than they may fail. Returns the numbers of runs. */
export async function runThroughOutage(
  outage: ModelOutage,
  rig: Rig,
  runs: number,
  atOnce: number,
): Promise<{ answered: number; waited: number }> {
  const startedAt = performance.now();
  const all = await Promise.all(Array.from({ length: runs }, () => rig.client.start('patient', 'Hello?')));
  await expect.poll(() => attemptOf(rig, all.at(-1)), { timeout: 200_000 }).toBeGreaterThan(MOST_FAILURES);
  expect(outage.requestsFor('m')).toBeLessThanOrEqual(outage.mostRequests(startedAt, atOnce));
  await expect
    .poll(() => all.at(-1)?.underWay())
    .toMatchObject([{ type: 'attempt_failed', error: HELD_BACK }]);
  outage.isOver = true;
  const results = await Promise.all(all.map((run) => run.result()));
  const waited = await Promise.all(all.map(hasWaited));
  return {
    answered: results.filter(({ output }) => output === 'by main').length,
    waited: waited.filter(Boolean).length,
  };
}

/** Attempts of a run's model call so far. */
async function attemptOf(rig: Rig, run: AgentRun | undefined): Promise<number> {
  const { raw } = await rig.temporal.workflow.getHandle(run?.id ?? '').describe();
  return raw.pendingActivities?.[0]?.attempt ?? 0;
}

async function hasWaited(run: AgentRun): Promise<boolean> {
  for await (const { type } of run.events({ live: false })) if (type === 'waiting') return true;
  return false;
}
