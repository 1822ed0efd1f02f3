import { setTimeout as sleep } from 'node:timers/promises';
import { type Subprocess, execa } from 'execa';

export interface Program {
  name: string;
  file: string;
  args: readonly string[];
  log: string;
  /** Added to the environment. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Another user than ours. */
  user?: { uid: number; gid: number } | undefined;
  /** The signal that ends it. Default: SIGTERM. */
  killSignal?: NodeJS.Signals;
  /** Pause before the next start. Default: 1 s. */
  pauseMs?: (() => number) | undefined;
}

const start = execa({ stdin: 'ignore', reject: false, forceKillAfterDelay: 30_000 });

/** A program that is started again when it ends, until `stop`: compose's `restart: unless-stopped`. */
export class Supervised {
  readonly #program: Program;
  readonly #stopped = new AbortController();
  readonly #over: Promise<void>;
  #child: Subprocess | undefined;
  starts = 0;
  /** Ends that had to be forced, because the program did not follow its signal for 30 s. */
  forced = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#over = this.#run();
  }

  get name(): string {
    return this.#program.name;
  }

  /** undefined: the program is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Returns false if the program is not running. */
  kill(signal: NodeJS.Signals): boolean {
    return this.#child?.kill(signal) ?? false;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.kill('SIGCONT');
    this.#child?.kill();
    await this.#over;
  }

  async #run(): Promise<void> {
    const { file, args, log, user, pauseMs = () => 1000, ...rest } = this.#program;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const output = { file: log, append: true } as const;
      const child = start(file, args, { ...user, ...rest, stdout: output, stderr: output });
      this.#child = child;
      this.starts++;
      const { isForcefullyTerminated } = await child;
      if (isForcefullyTerminated) this.forced++;
      this.#child = undefined;
      await sleep(pauseMs(), undefined, { signal }).catch(() => undefined);
    }
  }
}
