import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentClient,
  AgentRunCancelled,
  AgentRunFailed,
  TemporalUnreachable,
} from '../../client/index.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { type Speak, type Word, answer, speaker, sayWord } from '../simulation/operator.ts';
import type { Random } from '../simulation/random.ts';
import { again } from '../simulation/run-lives.ts';

export interface TrafficOptions {
  client: AgentClient;
  random: Random;
  /** Runs that are open at a time. */
  open: number;
}

const AGENTS = ['native', 'native', 'whole', 'text', 'short'];
const OPERATORS = 8;
const MOST_LISTED = 500;

/** Runs, and the people who operate them. They take no outage for an answer. */
export class Traffic {
  readonly words: Word[] = [];
  /** Ids of the runs that were started, and of those whose end is not known yet. */
  readonly started = new Set<string>();
  readonly open = new Set<string>();
  /** Errors other than of outages, that a program met which waits for runs. */
  readonly strayErrors: string[] = [];
  /** Requests that Temporal did not answer. */
  outages = 0;
  readonly #client: AgentClient;
  readonly #random: Random;
  readonly #most: number;
  readonly #paused = new Set<string>();
  #isStarting = true;
  readonly #over = new AbortController();
  #numbers = 0;

  constructor({ client, random, open }: TrafficOptions) {
    this.#client = client;
    this.#random = random;
    this.#most = open;
  }

  /** Keeps so many runs open until `drain`; people answer until `stop`. */
  async play(): Promise<void> {
    await Promise.all([this.#keepStarting(), this.#answerWaits(), this.#interfere()]);
  }

  /** Starts no more runs, and resumes what is paused. */
  drain(): void {
    this.#isStarting = false;
  }

  stop(): void {
    this.#isStarting = false;
    this.#over.abort();
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #keepStarting(): Promise<void> {
    while (this.#isStarting) {
      if (this.open.size < this.#most) {
        const id = `run-${String(++this.#numbers).padStart(5, '0')}`;
        const agent = this.#random.of(AGENTS);
        this.started.add(id);
        await this.#patiently(() => this.#client.start(agent, `Question of ${id}.`, { id }));
        void this.#live(id, this.#random.fork());
      }
      await sleep(this.open.size < this.#most ? 20 : 200);
    }
  }

  /** A run from its start to its end; then, perhaps, from a step on once more. */
  async #live(first: string, random: Random): Promise<void> {
    for (let id: string | undefined = first; id !== undefined; id = await this.#again(id, random)) {
      const run = this.#client.get(id);
      this.open.add(id);
      await this.#patiently(() => run.result());
      if (!this.#isOver) this.open.delete(id);
    }
  }

  /** Undefined: no, or nobody knows. */
  async #again(id: string, random: Random): Promise<string | undefined> {
    if (!this.#isStarting || !random.chance(0.2)) return undefined;
    return this.#once(async () => {
      const report = await this.#client.get(id).describe();
      return again(this.#client, { id, report }, random, this.#speaker(id));
    });
  }

  async #answerWaits(): Promise<void> {
    while (!this.#isOver) {
      await sleep(300);
      const ids = await this.#idsOf('waiting');
      await aFewAtATime(ids, OPERATORS, (id) => this.#once(() => this.#answer(id)));
    }
  }

  /** The waits of a sub-agent are those of its parent too. */
  async #idsOf(status: 'waiting' | 'paused'): Promise<string[]> {
    const ids: string[] = [];
    await this.#once(async () => {
      for await (const { id, parent } of this.#client.list({ status, limit: MOST_LISTED }))
        if (parent === undefined) ids.push(id);
    });
    return ids;
  }

  async #answer(id: string): Promise<void> {
    const run = this.#client.get(id);
    const report = await run.describe();
    if (report.waiting.length > 0) await answer(run, report, this.#random, this.#speaker(id));
  }

  /** Now and then a word to a run that did not ask for it. */
  async #interfere(): Promise<void> {
    while (this.#isStarting) {
      await sleep(this.#random.int(50, 400));
      if (this.open.size === 0) continue;
      const id = this.#random.of([...this.open]);
      const run = this.#client.get(id);
      const isPaused = this.#paused.has(id);
      const pauses = await this.#once(async () =>
        sayWord(run, await run.describe(), this.#random, this.#speaker(id), isPaused),
      );
      if (pauses ?? isPaused) this.#paused.add(id);
      else this.#paused.delete(id);
    }
    while (!this.#isOver) {
      for (const id of await this.#idsOf('paused'))
        await this.#once(() => this.#speaker(id)({ type: 'resume' }, () => this.#client.get(id).resume()));
      await sleep(500);
    }
  }

  #speaker(id: string): Speak {
    return speaker(id, this.words);
  }

  /** Until the answer is there. An end of the run that is an error is an answer: undefined. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isOver) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof AgentRunFailed || error instanceof AgentRunCancelled) return undefined;
        this.#note(error);
        await sleep(500);
      }
    }
    return undefined;
  }

  /** Undefined if there was no answer. */
  async #once<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.#note(error);
      return undefined;
    }
  }

  #note(error: unknown): void {
    if (error instanceof TemporalUnreachable) this.outages++;
    else this.strayErrors.push(withCauses(error));
  }
}

function withCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` (${withCauses(error.cause)})`;
  return `${error.name}: ${error.message}${cause}`;
}
