import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

const never = new Promise<never>(() => undefined);

interface AttemptScope {
  process: VirtualProcess;
  /** Workflow id of the run. */
  run: string;
  /** Returns true if the server has ended the attempt. */
  isOver: () => boolean;
}

const attempts = new AsyncLocalStorage<AttemptScope>();

/** The process whose activity calls this. Tools await its `proceed` before an effect: a dead process has none. */
export function currentProcess(): VirtualProcess {
  return scope().process;
}

/** Workflow id of the run whose activity calls this. */
export function currentRun(): string {
  return scope().run;
}

/** The server has ended the attempt that calls this, whether or not the process may know. */
export function isAttemptLost(): boolean {
  return scope().isOver();
}

/** The server has ended the attempt that calls this, and the process may know, because it did not stand still meanwhile. */
export function isAttemptOver(): boolean {
  const { process, isOver } = scope();
  return isOver() && !process.wasAway;
}

function scope(): AttemptScope {
  const found = attempts.getStore();
  if (found === undefined) throw new Error('Not within an activity of a virtual worker');
  return found;
}

/** A process on the virtual clock, which can die, stand still, and lose its connection. */
export class VirtualProcess {
  readonly identity: string;
  readonly #random: Random;
  readonly #onKill: () => void;
  #isAlive = true;
  #frozenUntil = 0;
  #offlineUntil = 0;
  wasAway = false;

  constructor(identity: string, random: Random, onKill: () => void = () => undefined) {
    this.identity = identity;
    this.#random = random;
    this.#onKill = onKill;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The process runs, and the server hears of it. */
  get isPolling(): boolean {
    return this.#isAlive && Date.now() >= Math.max(this.#frozenUntil, this.#offlineUntil);
  }

  /** As SIGKILL. Nothing that the process does from now on reaches anybody. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#onKill();
  }

  /** As SIGSTOP, and SIGCONT after the time. */
  freeze(ms: number): void {
    this.wasAway = true;
    this.#frozenUntil = Math.max(this.#frozenUntil, Date.now() + ms);
  }

  /** The process goes on without its connection to the server. */
  cutOff(ms: number): void {
    this.wasAway = true;
    this.#offlineUntil = Math.max(this.#offlineUntil, Date.now() + ms);
  }

  /** Runs an attempt of an activity. */
  run<T>(run: string, isOver: () => boolean, work: () => T): T {
    return attempts.run({ process: this, run, isOver }, work);
  }

  /** Resolves when the process can go on; never after its death. Awaited before everything that reaches the outside. */
  async proceed(): Promise<void> {
    while (this.#isAlive && Date.now() < this.#frozenUntil) await sleep(this.#frozenUntil - Date.now());
    if (!this.#isAlive) await never;
  }

  /** Resolves when the process can reach the server. */
  async connected(): Promise<void> {
    await this.proceed();
    while (Date.now() < this.#offlineUntil) await sleep(this.#offlineUntil - Date.now());
    await this.proceed();
  }

  /** The way of a request to the server. */
  async request(): Promise<void> {
    await this.connected();
    await sleep(this.#random.int(0, 3));
    await this.connected();
  }
}
