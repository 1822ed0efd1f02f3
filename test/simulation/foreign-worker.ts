import type { ActivityTask } from './activity-task.ts';
import type { Random } from './random.ts';
import type { Failure } from './sdk.ts';
import type { Poller } from './server.ts';
import { ServiceError } from './service-error.ts';
import type { Values } from './values.ts';
import { sleep } from './virtual-time.ts';
import { type Effect, FOREIGN_QUEUE } from './world-tools.ts';

/** A worker in another language: it runs the external tools, and now and then fails, or does not answer. */
export class ForeignWorker implements Poller {
  readonly identity = 'foreign-worker';
  readonly queue = FOREIGN_QUEUE;
  readonly isPolling = true;
  readonly #random: Random;
  readonly #effects: Effect[];
  readonly #values: Values;

  constructor(random: Random, effects: Effect[], values: Values) {
    this.#random = random;
    this.#effects = effects;
    this.#values = values;
  }

  async runActivity(activity: ActivityTask): Promise<void> {
    const random = this.#random;
    activity.begin(this.identity);
    const { token, schedule, execution } = activity;
    const tool = schedule.activityType?.name ?? '';
    const [payload] = schedule.input?.payloads ?? [];
    // The worker without the tool's definition cannot read the text of a model, and sends it as it is.
    const sent = payload ? this.#values.read(payload) : {};
    const { n } = (typeof sent === 'string' ? JSON.parse(sent) : sent) as { n: number };
    await sleep(random.int(0, 3000));
    if (random.chance(0.1)) return this.#answer(() => activity.fail(token, failure(`${tool} is busy`)));
    if (random.chance(0.1))
      return this.#answer(() => activity.fail(token, failure(`${tool} refuses`, 'ToolError')));
    const [call = ''] = (schedule.activityId ?? '').split('~');
    const key = `${execution.id} ${call} ${n}`;
    this.#effects.push({
      tool,
      n,
      root: execution.id,
      call: call.replace(/^\S+ /u, ''),
      key,
      at: Date.now(),
    });
    await sleep(random.int(0, 3000));
    if (random.chance(0.1)) return; // It dies without an answer.
    const result = await this.#values.encode(`${tool} ${n}`);
    this.#answer(() => activity.complete(token, result));
  }

  runWorkflowTask(): Promise<void> {
    throw new Error('A foreign worker runs no workflows');
  }

  evict(): void {}

  kill(): void {}

  #answer(send: () => void): void {
    try {
      send();
    } catch (error) {
      // The attempt is over for the server.
      if (!(error instanceof ServiceError)) throw error;
    }
  }
}

function failure(message: string, type = 'Error'): Failure {
  return { message, applicationFailureInfo: { type } };
}
