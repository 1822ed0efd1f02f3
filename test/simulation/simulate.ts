import { parseActivityId } from '../../agent/calls/calls.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { checkConfig } from '../../config/check.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { bundle } from '../../worker/workflow-bundle.ts';
import { disturb } from './chaos.ts';
import { ForeignWorker } from './foreign-worker.ts';
import { brokenLaws } from './laws.ts';
import { type Word, isPausedByOthers, speaker } from './operator.ts';
import { createOnlooker } from './onlooker.ts';
import { OPERATED } from './outside-laws.ts';
import { VirtualProcess } from './process.ts';
import { type Profile, profileOf } from './profiles.ts';
import { MOST_MS, type RunLife, type Stage, playRun } from './run-lives.ts';
import { Random } from './random.ts';
import { Resets } from './resets.ts';
import { Sandbox } from './sdk.ts';
import { clientOf, serviceFor } from './service.ts';
import { type SessionLife, playSession } from './session-lives.ts';
import { type ServerObserver, VirtualServer } from './server.ts';
import { type Values, clearValues, encryptedValues } from './values.ts';
import { START, onVirtualTime, sleep } from './virtual-time.ts';
import { VirtualWorker } from './worker.ts';
import { type World, createWorld } from './world.ts';
import { withTreasurer } from './world-budgets.ts';
import { FOREIGN_QUEUE } from './world-tools.ts';

const QUEUE = 'simulation';
/** Share of the simulations in which everything is encrypted, and of those in which ended runs are reset. */
const [ENCRYPTED, RESETS] = [0.15, 0.1];
/** Share of the simulations in which open runs are reset. */
const OPEN_RESETS = 0.1;

/** Make other choices of a seed than those of the simulation. */
const [PROFILES, LATER] = [0x70f1, 0x1a7e];

export interface Simulated {
  seed: number;
  /** Sentences on laws that were broken. */
  problems: string[];
  activations: number;
  /** Events in the histories of the virtual server. */
  events: number;
  /** The events of the simulation, one per line. */
  story: string[];
  /** See {@link Random.may}. */
  deeds: string[];
}

/** Loads the workflows into a V8 context, once per process. `code`: they are bundled already. */
export async function loadSandbox(code?: string): Promise<Sandbox> {
  code ??= (await bundle()).code;
  return Sandbox.create(code, new Set(['resolveAgent', 'callModel']));
}

/** One simulation: agents, operators and faults, all from the seed. The same seed gives the same story. `leftOut`: see {@link Random.may}. */
export async function simulate(
  sandbox: Sandbox,
  seed: number,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<Simulated> {
  const deeds: string[] = [];
  const random = new Random(seed, { done: deeds, leftOut });
  const luck = random.fork();
  const simulation = new Simulation(sandbox, seed, random);
  try {
    await onVirtualTime(luck.next, () => simulation.run());
  } catch (error) {
    simulation.problems.push(textOf(error));
  }
  const { problems, story, activations, events } = simulation;
  return { seed, problems, activations, events, story, deeds };
}

/** The profile of a simulation, before it is run. */
export function profileOfSeed(seed: number): Profile {
  const random = new Random(seed);
  random.fork(); // the simulation's luck
  return profileOf(random.fork(), new Random(seed ^ PROFILES));
}

class Simulation {
  readonly problems: string[] = [];
  readonly story: string[] = [];
  readonly #sandbox: Sandbox;
  readonly #seed: number;
  readonly #random: Random;
  readonly #profile: Profile;
  readonly #server: VirtualServer;
  readonly #values: Values;
  readonly #resets: Resets;
  readonly #words: Word[] = [];
  readonly #told = new Map<string, RunEvent[]>();
  /** Those that are alive. */
  readonly #workers: VirtualWorker[] = [];
  readonly #done = new AbortController();
  #isDisturbed = false;
  #started = 0;

  constructor(sandbox: Sandbox, seed: number, random: Random) {
    this.#sandbox = sandbox;
    this.#seed = seed;
    this.#random = random;
    this.#profile = profileOf(random.fork(), new Random(seed ^ PROFILES));
    const observer: ServerObserver = {
      taskFailed: ({ id }, cause, failure) => {
        this.#isDisturbed = true;
        this.#tell(`${id}: workflow task failed: ${cause} ${failure?.message ?? ''}`);
        if (cause === 'failure') this.problems.push(`${id}: a workflow task failed: ${failure?.message}`);
      },
      started: ({ id, runId }) => this.#tell(`${id} started as ${runId}`),
      broken: (error) => this.problems.push(`The simulator failed: ${textOf(error)}`),
      closed: ({ id, end }) => this.#tell(`${id} closed: ${end?.type}`),
    };
    this.#server = new VirtualServer(random.fork(), observer, this.#profile);
    // By itself, so that the other choices of a seed are the same.
    const own = new Random(~seed);
    this.#values = own.chance(ENCRYPTED) ? encryptedValues() : clearValues;
    const later = new Random(seed ^ LATER);
    this.#resets = new Resets(this.#server, {
      ended: own.chance(RESETS) ? own : undefined,
      open: later.chance(OPEN_RESETS) ? later : undefined,
      words: this.#words,
      tell: (line) => this.#tell(line),
    });
  }

  get activations(): number {
    return this.#server.activations;
  }

  get events(): number {
    return this.#server.executions.reduce((sum, { history }) => sum + history.length, 0);
  }

  async run(): Promise<void> {
    this.#isDisturbed = this.#random.chance(0.7);
    const isSession = this.#random.chance(0.25);
    const people = new VirtualProcess('client', this.#server.random);
    const service = serviceFor(this.#server, () => people.connected());
    const client = new AgentClient(clientOf(service, 'client', this.#values.converter), 'virtual', QUEUE);
    const world = createWorld(this.#random.fork(), {
      isSession,
      profile: this.#profile,
      deferred: (token, run, call) => void this.#resolveLater(client, token, run, call),
      isDeadly: this.#isDisturbed,
      onEvent: (event, { id, runId }) => {
        this.#told.set(id, [...(this.#told.get(id) ?? []), event]);
        this.#tell(`${runId} ${event.type} ${JSON.stringify(event).slice(0, 200)}`);
      },
    });
    this.#server.workers.push(new ForeignWorker(this.#random.fork(), world.effects, this.#values));
    this.#tell(`profile: ${this.#profile.name ?? 'none'}${this.#values.isEncrypted ? ', encrypted' : ''}`);
    this.#startWorkers(world, people);
    const { runs, sessions } = await withTreasurer(client, world, () => this.#play(client, isSession));
    for (const { id, end, report } of runs) {
      this.#tell(`${id} ${end ?? 'is not over'}`);
      if (end !== undefined || isPausedByOthers(this.#server, this.#words, report)) continue;
      const open = this.#server.executions.filter(({ isOpen }) => isOpen).map((one) => one.summary());
      const waiting = JSON.stringify(report.waiting);
      this.problems.push(`${id} is not over after ${MOST_MS} ms, and waits for ${waiting}`, ...open);
    }
    this.#done.abort();
    for (const { at, type, run, call = '', data, outcome, error = '' } of this.#words)
      this.#tell(
        `word: ${run} ${type} ${call} ${JSON.stringify(data ?? '')} ${outcome} ${error}`,
        at - START,
      );
    this.story.sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
    const [server, values, profile] = [this.#server, this.#values, this.#profile];
    const seen = { profile, world, server, values, runs, sessions, words: this.#words, told: this.#told };
    this.problems.push(...brokenLaws({ ...seen, isDisturbed: this.#isDisturbed }));
    for (const worker of this.#server.workers) worker.kill();
  }

  async #play(
    client: AgentClient,
    isSession: boolean,
  ): Promise<{ runs: RunLife[]; sessions: SessionLife[] }> {
    const onlooker = createOnlooker(this.#server, this.#values, (problem) => this.problems.push(problem));
    const stage: Stage = {
      client,
      words: this.#words,
      onlooker,
      profile: this.#profile,
      resets: this.#resets,
      children: (id) => this.#server.openBelow(id),
    };
    if (isSession) {
      const session = await playSession(stage, `session-of-${this.#seed}`, this.#random.fork());
      return { runs: session.lives, sessions: [session] };
    }
    const count = this.#random.int(1, 2) === 2 && this.#random.may('second run') ? 2 : 1;
    const ids = Array.from({ length: count }, (_, at) => `run-of-${this.#seed}-${at}`);
    const lives = await Promise.all(ids.map((id) => playRun(stage, id, this.#random.fork())));
    return { runs: lives.flat(), sessions: [] };
  }

  /** Somebody outside answers a deferred call by its token, perhaps before the tool has returned. */
  async #resolveLater(client: AgentClient, token: string, run: string, call: string): Promise<void> {
    const { answersByToken = 0.4, answerMs = 6000 } = this.#profile;
    if (!this.#random.chance(answersByToken)) return;
    await sleep(this.#random.int(0, answerMs));
    const word = { type: 'resolve by token', call, data: { token } };
    try {
      await speaker(run, this.#words)(word, () => client.resolve(token, `by token of ${call}`));
    } catch (error) {
      // The request was made within a request that has been cancelled.
      if (!/Cancelled on client/u.test(textOf((error as Error).cause))) this.problems.push(textOf(error));
    }
  }

  #startWorkers(world: World, people: VirtualProcess): void {
    const random = this.#random.fork();
    const restart = async (dead: VirtualWorker) => {
      await sleep(random.int(500, 3000));
      if (this.#done.signal.aborted) return;
      const next = start(dead.nextVersion);
      // A new worker on the same machine finds the journal.
      if (random.chance(0.6)) next.recover(dead.underWay);
    };
    const start = (version: number): VirtualWorker => {
      const worker = this.#worker(world, version, (dead) => {
        this.#workers.splice(this.#workers.indexOf(dead), 1);
        void restart(dead);
      });
      this.#workers.push(worker);
      this.#server.workers.push(worker);
      this.#server.workerPolls();
      return worker;
    };
    start(0);
    if (!this.#isDisturbed) return;
    start(0);
    void disturb(this.#workers, {
      random,
      profile: this.#profile,
      versions: world.configs.length,
      cutOff: (ms) => people.cutOff(ms),
      operate: () => void this.#operate(random.fork()),
      tell: (line) => this.#tell(line),
      signal: this.#done.signal,
    });
  }

  /** Somebody who knows Temporal's commands pauses an attempt and lets it go on, or resets it. */
  async #operate(random: Random): Promise<void> {
    const [pauseMs, isReset] = [random.int(500, 20_000), random.chance(0.3)];
    const flags = { resetAttempts: random.chance(0.5), resetHeartbeats: random.chance(0.5) };
    const started = this.#server.executions
      .flatMap(({ activities }) => [...activities.values()])
      .filter(({ state }) => state === 'started');
    if (started.length === 0) return;
    const activity = random.of(started);
    const { execution, schedule } = activity;
    const { activityId, taskQueue } = schedule;
    this.#tell(`somebody ${isReset ? 'resets' : 'pauses'} ${activityId}`);
    if (taskQueue?.name === FOREIGN_QUEUE)
      this.#words.push({
        at: Date.now(),
        run: execution.id,
        type: OPERATED,
        call: parseActivityId(activityId ?? '')?.call,
        outcome: 'accepted',
      });
    activity.operate(isReset ? 'reset' : 'paused');
    await sleep(pauseMs);
    activity.unpause(flags);
  }

  #worker(world: World, version: number, onKill: (worker: VirtualWorker) => void): VirtualWorker {
    const config = world.configs[version];
    if (config === undefined) throw new Error(`No version ${version}`);
    return new VirtualWorker(
      this.#server,
      this.#sandbox,
      createLoadedConfig(checkConfig(config, 'simulation')),
      {
        identity: `worker-${++this.#started}`,
        queue: QUEUE,
        version,
        values: this.#values,
        onKill,
        onDivergence: ({ id }, expected, found) => {
          const [before, now] = [expected, found].map((commands) => JSON.stringify(commands).slice(0, 300));
          this.problems.push(`${id}: a replay gives other commands: ${now} in place of ${before}`);
        },
      },
    );
  }

  #tell(line: string, ms = performance.now()): void {
    this.story.push(`${(ms / 1000).toFixed(3)} s  ${line}`);
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
