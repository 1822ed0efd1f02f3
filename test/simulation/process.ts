import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

const never = new Promise<never>(() => undefined);

const inProcess = new AsyncLocalStorage<{ process: VirtualProcess; run: string }>();

/** The process whose activity calls this. Tools await its `proceed` before an effect: a dead process has none. */
export function currentProcess(): VirtualProcess {
  return store().process;
}

/** Workflow id of the run whose activity calls this. */
export function currentRun(): string {
  return store().run;
}

function store() {
  const found = inProcess.getStore();
  if (found === undefined) throw new Error('Not within an activity of a virtual worker');
  return found;
}

/** A process on the virtual clock, which can die and stand still. */
export class VirtualProcess {
  readonly identity: string;
  readonly #random: Random;
  #isAlive = true;
  #frozenUntil = 0;

  constructor(identity: string, random: Random) {
    this.identity = identity;
    this.#random = random;
  }

  get isRunning(): boolean {
    return this.#isAlive && Date.now() >= this.#frozenUntil;
  }

  /** As SIGKILL. Nothing that the process does from now on reaches anybody. */
  kill(): void {
    this.#isAlive = false;
  }

  /** As SIGSTOP, and SIGCONT after the time. */
  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, Date.now() + ms);
  }

  run<T>(workflowId: string, work: () => T): T {
    return inProcess.run({ process: this, run: workflowId }, work);
  }

  /** Resolves when the process can go on; never after its death. Awaited before everything that reaches the outside. */
  async proceed(): Promise<void> {
    while (this.#isAlive && Date.now() < this.#frozenUntil) await sleep(this.#frozenUntil - Date.now());
    if (!this.#isAlive) await never;
  }

  /** The way of a request to the server. */
  async request(): Promise<void> {
    await this.proceed();
    await sleep(this.#random.int(0, 3));
    await this.proceed();
  }
}
