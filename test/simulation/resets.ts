import type { Word } from './operator.ts';
import { RESET } from './outside-laws.ts';
import type { Random } from './random.ts';
import { resetPoints } from './reset.ts';
import type { VirtualServer } from './server.ts';
import { sleep } from './virtual-time.ts';

interface ResetOptions {
  /** Choices for ended runs; undefined: nobody resets ended runs. */
  ended: Random | undefined;
  /** Choices for open runs; undefined: nobody resets open runs. */
  open: Random | undefined;
  /** All that people said. */
  words: Word[];
  tell(line: string): void;
}

/** Somebody who knows Temporal's commands, and resets a run to one of its workflow tasks now and then. */
export class Resets {
  readonly #server: VirtualServer;
  readonly #options: ResetOptions;

  constructor(server: VirtualServer, options: ResetOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Resets a run that has ended, or does not. */
  ended(id: string): boolean {
    return this.#server.find(id)?.isOpen === false && this.#reset(id, this.#options.ended);
  }

  /** Resets an open run after some time, or does not. Resolves to true if the run was reset. */
  async open(id: string, over: AbortSignal): Promise<boolean> {
    const { open } = this.#options;
    if (open === undefined) return false;
    await sleep(open.int(1000, 60_000));
    return !over.aborted && this.#server.find(id)?.isOpen === true && this.#reset(id, open);
  }

  #reset(id: string, random: Random | undefined): boolean {
    const base = this.#server.find(id);
    const points = base === undefined ? [] : resetPoints(base);
    if (random === undefined || points.length === 0 || random.chance(0.3)) return false;
    const point = random.of(points);
    const { words, tell } = this.#options;
    tell(`somebody resets ${id} to workflow task ${point.task + 1} of ${base?.tasks.finished.length}`);
    words.push({ at: Date.now(), run: id, type: RESET, outcome: 'accepted' });
    this.#server.reset(point);
    return true;
  }
}
