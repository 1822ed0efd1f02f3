import { setTimeout as sleep } from 'node:timers/promises';
import type { Kill } from './kills.ts';
import type { ContestantProcess } from './process.ts';
import type { World } from './world.ts';

/** Time that the tool in hand still takes when the cancel was accepted: a product that tells its tools can stop it. */
const WORK_MS = 5000;
/** Time for an effect that comes late. */
const LATE_MS = 2000;
/** Time between the request to cancel and a kill at it. */
const ASKED_MS = 5;

interface Stage {
  contestant: ContestantProcess;
  world: World;
  isOver(): boolean;
  /** Kills the contestant if it is to die at this moment. Resolves when it is there again. */
  dieAt(moment: Kill['moment']): Promise<boolean>;
}

/** A client that cancels a run while a tool works, until the request is accepted. */
export class Canceller {
  #accepted: { at: number; effects: number } | undefined;
  #work: Promise<void> | undefined;

  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get isAsked(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves when the tool in hand is done with its work: each attempt, also after a death, works until the cancel was accepted. */
  cancel(run: string): Promise<void> {
    return (this.#work ??= this.#cancel(run));
  }

  async #cancel(run: string): Promise<void> {
    const { contestant, world, isOver, dieAt } = this.#stage;
    const first = contestant.cancel(run);
    const isTaken = first.then(
      () => true,
      () => false,
    );
    await sleep(ASKED_MS);
    await dieAt('cancel asked');
    let isAccepted = await isTaken;
    while (!isAccepted && !isOver()) {
      await sleep(100);
      isAccepted = await contestant.cancel(run).then(
        () => true,
        () => false,
      );
    }
    if (!isAccepted) return;
    this.#accepted = { at: Date.now(), effects: world.effects(run).length };
    await dieAt('cancel accepted');
    await sleep(WORK_MS);
  }

  /** Waits for late effects. Returns what is counted of the cancel. */
  async end(): Promise<{ effectsAtCancel?: number; secondsUntilOver?: number }> {
    const accepted = this.#accepted;
    if (accepted === undefined) return {};
    const secondsUntilOver = Math.round((Date.now() - accepted.at) / 100) / 10;
    await sleep(Math.max(0, accepted.at + WORK_MS - Date.now()) + LATE_MS);
    return { effectsAtCancel: accepted.effects, secondsUntilOver };
  }
}
