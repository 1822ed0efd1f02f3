import type { RunEvent } from '../../agent/run/events.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { checkConfig } from '../../config/check.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { bundle } from '../../worker/workflow-bundle.ts';
import { disturb } from './chaos.ts';
import { brokenLaws } from './laws.ts';
import type { Word } from './operator.ts';
import { MOST_MS, playRun } from './run-lives.ts';
import { Random } from './random.ts';
import { Sandbox } from './sdk.ts';
import { clientOf, serviceFor } from './service.ts';
import { VirtualServer } from './server.ts';
import { onVirtualTime } from './virtual-time.ts';
import { VirtualWorker } from './worker.ts';
import { type World, createWorld } from './world.ts';

const QUEUE = 'simulation';

export interface Simulated {
  seed: number;
  /** Sentences on laws that were broken. */
  problems: string[];
  activations: number;
  /** The events of the simulation, one per line. */
  story: string[];
}

/** Bundles the workflows and loads them into a V8 context, once per process. */
export async function loadSandbox(): Promise<Sandbox> {
  const { code } = await bundle();
  return Sandbox.create(code, new Set(['resolveAgent', 'callModel']));
}

/** One simulation: agents, operators and faults, all from the seed. The same seed gives the same story. */
export async function simulate(sandbox: Sandbox, seed: number): Promise<Simulated> {
  const random = new Random(seed);
  const luck = random.fork();
  const simulation = new Simulation(sandbox, seed, random);
  try {
    await onVirtualTime(luck.next, () => simulation.run());
  } catch (error) {
    simulation.problems.push(textOf(error));
  }
  const { problems, story, activations } = simulation;
  return { seed, problems, activations, story };
}

class Simulation {
  readonly problems: string[] = [];
  readonly story: string[] = [];
  readonly #sandbox: Sandbox;
  readonly #seed: number;
  readonly #random: Random;
  readonly #server: VirtualServer;
  readonly #words: Word[] = [];
  readonly #told = new Map<string, RunEvent[]>();
  #isDisturbed = false;
  #workers = 0;

  constructor(sandbox: Sandbox, seed: number, random: Random) {
    this.#sandbox = sandbox;
    this.#seed = seed;
    this.#random = random;
    this.#server = new VirtualServer(random.fork(), {
      taskFailed: ({ id }, cause, failure) => {
        this.#isDisturbed = true;
        this.#tell(`${id}: workflow task failed: ${cause} ${failure?.message ?? ''}`);
        if (cause === 'failure') this.problems.push(`${id}: a workflow task failed: ${failure?.message}`);
      },
      started: ({ id, runId }) => this.#tell(`${id} started as ${runId}`),
      broken: (error) => this.problems.push(`The simulator failed: ${textOf(error)}`),
      closed: ({ id, end }) => this.#tell(`${id} closed: ${end?.type}`),
    });
  }

  get activations(): number {
    return this.#server.activations;
  }

  async run(): Promise<void> {
    const world = createWorld(this.#random.fork(), (event, { id, runId }) => {
      this.#told.set(id, [...(this.#told.get(id) ?? []), event]);
      this.#tell(`${runId} ${event.type} ${JSON.stringify(event).slice(0, 200)}`);
    });
    const start = () => this.#startWorker(world);
    const done = new AbortController();
    const tell = (line: string) => this.#tell(line);
    const chaos = this.#random.fork();
    this.#isDisturbed = this.#random.chance(0.7);
    if (this.#isDisturbed) void disturb([start(), start()], start, chaos, tell, done.signal);
    else start();
    const service = serviceFor(this.#server, async () => undefined);
    const client = new AgentClient(clientOf(service, 'client'), 'virtual', QUEUE);
    const ids = Array.from({ length: this.#random.int(1, 2) }, (_, at) => `run-of-${this.#seed}-${at}`);
    const lives = await Promise.all(ids.map((id) => playRun(client, id, this.#random.fork(), this.#words)));
    const runs = lives.flat();
    for (const { id, end, report } of runs) {
      this.#tell(`${id} ${end ?? 'is not over'}`);
      if (end !== undefined) continue;
      const open = this.#server.executions.filter(({ isOpen }) => isOpen).map((one) => one.summary());
      const waiting = JSON.stringify(report.waiting);
      this.problems.push(`${id} is not over after ${MOST_MS} ms, and waits for ${waiting}`, ...open);
    }
    done.abort();
    for (const { type, run, call = '', outcome, error = '' } of this.#words)
      this.story.push(`word: ${run} ${type} ${call} ${outcome} ${error}`);
    const seen = { world, server: this.#server, runs, words: this.#words, told: this.#told };
    this.problems.push(...brokenLaws({ ...seen, isDisturbed: this.#isDisturbed }));
    for (const worker of this.#server.workers) worker.kill();
  }

  #startWorker(world: World): VirtualWorker {
    const loaded = createLoadedConfig(checkConfig(world.config, 'simulation'));
    const worker = new VirtualWorker(this.#server, this.#sandbox, loaded, {
      identity: `worker-${++this.#workers}`,
      queue: QUEUE,
      onDivergence: ({ id }, expected, found) => {
        const [before, now] = [expected, found].map((commands) => JSON.stringify(commands).slice(0, 300));
        this.problems.push(`${id}: a replay gives other commands: ${now} in place of ${before}`);
      },
    });
    this.#server.workers.push(worker);
    this.#server.workerPolls();
    return worker;
  }

  #tell(line: string): void {
    this.story.push(`${(performance.now() / 1000).toFixed(3)} s  ${line}`);
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
