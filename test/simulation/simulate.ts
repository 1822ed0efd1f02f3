import { readFileSync } from 'node:fs';
import { AgentClient } from '../../client/api/agent-client.ts';
import { checkConfig } from '../../config/check.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { type SeenRun, brokenLaws } from './laws.ts';
import { type Word, operate } from './operator.ts';
import { Random } from './random.ts';
import { Sandbox } from './sdk.ts';
import { clientOf, serviceFor } from './service.ts';
import { VirtualServer } from './server.ts';
import { onVirtualTime } from './virtual-time.ts';
import { VirtualWorker } from './worker.ts';
import { createWorld } from './world.ts';

const QUEUE = 'simulation';
/** Virtual time after which a simulation gives up. */
const MOST_MS = 15 * 60_000;

export interface Simulated {
  seed: number;
  problems: string[];
  activations: number;
  /** What happened, a line each. */
  story: string[];
}

/** Loads the bundle that workers run. Once per process. */
export async function loadSandbox(): Promise<Sandbox> {
  const code = readFileSync(new URL('../../dist/workflows/bundle.js', import.meta.url), 'utf8');
  return Sandbox.create(code, activityNames);
}

const activityNames = new Set(['resolveAgent', 'callModel']);

/** One simulation: agents, operators, faults, all from the seed. */
export async function simulate(sandbox: Sandbox, seed: number): Promise<Simulated> {
  const random = new Random(seed);
  const problems: string[] = [];
  const story: string[] = [];
  let activations = 0;
  const tell = (line: string) => story.push(`${(performance.now() / 1000).toFixed(3)} s  ${line}`);
  const luck = random.fork();
  try {
    await onVirtualTime(
      () => luck.next(),
      async () => {
        const told = new Map<string, unknown[]>();
        const world = createWorld(random.fork(), (event, { runId }) => {
          told.set(runId, [...(told.get(runId) ?? []), event]);
          tell(`${runId} ${event.type} ${JSON.stringify(event).slice(0, 160)}`);
        });
        const loaded = createLoadedConfig(checkConfig(world.config, 'simulation'));
        const server = new VirtualServer(random.fork(), {
          taskFailed: ({ id }, cause, failure) => {
            tell(`${id}: workflow task failed: ${cause} ${failure?.message ?? ''}`);
            if (cause === 'failure') problems.push(`${id}: a workflow task failed: ${failure?.message}`);
          },
          started: ({ id, runId }) => tell(`${id} started as ${runId}`),
          broken: (error) =>
            problems.push(`The simulator failed: ${String((error as Error).stack ?? error)}`),
          closed: ({ id, end }) => tell(`${id} closed: ${end?.type}`),
        });
        const addWorker = (name: string) => {
          const worker = new VirtualWorker(server, sandbox, loaded, {
            identity: name,
            queue: QUEUE,
            onDivergence: ({ id }, expected, found) =>
              problems.push(
                `${id}: a replay gives other commands: ${JSON.stringify(expected).slice(0, 300)} / ${JSON.stringify(found).slice(0, 300)}`,
              ),
          });
          server.workers.push(worker);
          server.workerPolls();
          return worker;
        };
        const workers = [addWorker('worker-1'), addWorker('worker-2')];
        const client = new AgentClient(
          clientOf(
            serviceFor(server, async () => undefined),
            'client',
          ),
          'virtual',
          QUEUE,
        );

        let isDone = false;
        const faults = random.fork();
        const chaos = async () => {
          let count = 2;
          while (!isDone) {
            await sleep(faults.int(500, 15_000));
            if (isDone) return;
            const at = faults.int(0, workers.length - 1);
            const worker = workers[at];
            if (worker === undefined) continue;
            const dice = faults.next();
            if (dice < 0.25) {
              tell(`${worker.identity} is killed`);
              worker.kill();
              workers[at] = addWorker(`worker-${++count}`);
            } else if (dice < 0.4) {
              const ms = faults.int(1000, 40_000);
              tell(`${worker.identity} stands still for ${ms} ms`);
              worker.freeze(ms);
            } else if (dice < 0.7) {
              tell(`${worker.identity} loses its cache`);
              worker.evict();
            }
          }
        };
        const isFaulty = random.chance(0.7);
        if (isFaulty) void chaos();

        const words: Word[] = [];
        const runs = Array.from({ length: random.int(1, 2) }, (_, index) => `run-of-${seed}-${index}`);
        const seen = await Promise.all(
          runs.map(async (id): Promise<SeenRun> => {
            await client.start('top', `question ${id}`, { id });
            let isOver = false;
            const operators = Array.from({ length: random.int(1, 2) }, () =>
              operate(client, id, random.fork(), words, () => isOver),
            );
            const run = client.get(id);
            const end = await Promise.race([
              run.result().then(
                (result) => `answered: ${JSON.stringify(result.output).slice(0, 100)}`,
                (error: Error) => `ended: ${error.name}: ${error.message}`,
              ),
              sleep(MOST_MS).then(() => undefined),
              Promise.all(operators).then(() => new Promise<never>(() => undefined)),
            ]);
            isOver = true;
            if (end === undefined)
              problems.push(
                `${id} is not over after ${MOST_MS} ms`,
                ...server.executions.filter(({ isOpen }) => isOpen).map((one) => one.summary()),
              );
            else tell(`${id} ${end}`);
            const events: SeenRun['events'] = [];
            const report = await run.describe((event) => events.push(event));
            if (end === undefined)
              problems.push(`${id} is ${report.status}, waiting: ${JSON.stringify(report.waiting)}`);
            return { id, report, events };
          }),
        );
        isDone = true;
        for (const { type, run, call, outcome, error } of words)
          story.push(`word: ${run} ${type} ${call ?? ''} ${outcome} ${error ?? ''}`);
        problems.push(...brokenLaws(world, server, seen, words));
        activations = server.activations;
        for (const worker of server.workers) worker.kill();
      },
    );
  } catch (error) {
    problems.push(String((error as Error).stack ?? error));
  }
  return { seed, problems, activations, story };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
