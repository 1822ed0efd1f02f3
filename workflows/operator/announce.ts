import { CancellationScope, ParentClosePolicy, log, startChild, workflowInfo } from '@temporalio/workflow';
import type { WebhookEvent, WebhookRoute } from '../../agent/definition/webhook-route.ts';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import type { RunResult } from '../../agent/run/run-result.ts';
import type { ErrorInfo, Json } from '../../agent/values/vocabulary.ts';
import type { WebhookDelivery } from '../../agent/webhooks/delivery.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { WEBHOOK_DELIVERY } from '../messages.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Details of an event. */
type Details = Pick<WebhookDelivery, 'wait' | 'result' | 'error'>;

/**
 * Announces a run's waits and its end to webhooks. Each delivery is a workflow beside the run, so that a slow receiver does not hold the
 * run, and the end of the run does not lose the delivery.
 */
export class Announcer {
  readonly #input: AgentRunInput;
  #routes: readonly WebhookRoute[] = [];
  #tags: readonly string[] | undefined;
  readonly #told = new Set<string>();
  readonly #starting = new Set<Promise<void>>();

  constructor(input: AgentRunInput) {
    this.#input = input;
  }

  /** Takes the webhooks of the run. The parent of a sub-agent announces the sub-agent's waits; a backtest is not announced. */
  resolved({ webhooks = [], tags }: AgentManifest): void {
    const { caller, recorded } = this.#input;
    if (caller === undefined && recorded === undefined) this.#routes = webhooks;
    this.#tags = tags;
  }

  /** All deliveries have started: the run may continue as new. */
  get isSent(): boolean {
    return this.#starting.size === 0;
  }

  /** Takes all open waits after each change. */
  waits(waiting: readonly WaitingCall[]): void {
    for (const wait of waiting.filter(needsPerson)) {
      const key = `waiting ${wait.call} ${wait.n}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      this.#announce('waiting', key, { wait });
    }
  }

  /** Resolves when the deliveries have started: the run may close. */
  async end(
    event: WebhookEvent,
    { result, error }: { result?: RunResult; error?: ErrorInfo },
  ): Promise<void> {
    if (this.#routes.length === 0) return;
    const answer = result && {
      output: result.output,
      stopReason: result.stopReason,
      truncated: result.truncated,
    };
    this.#announce(event, event, { result: answer, error });
    await Promise.all(this.#starting);
  }

  #announce(event: WebhookEvent, key: string, details: Details): void {
    const { workflowId: id, runId } = workflowInfo();
    const run = { id, runId, agent: this.#input.agent, tags: this.#tags };
    const name = `${runId}_${key.replaceAll(/[^\w]+/gu, '-')}`;
    for (const { to } of this.#routes.filter(({ on }) => on.includes(event))) {
      const delivery = { to, id: `msg_${name}`, event, timestamp: Date.now(), run };
      const start = this.#start(`webhook:${to}:${name}`, { ...delivery, ...bounded(details) });
      this.#starting.add(start);
      void start.finally(() => this.#starting.delete(start));
    }
  }

  /** A cancellation of the run does not cancel the delivery. */
  async #start(workflowId: string, delivery: WebhookDelivery): Promise<void> {
    const options = {
      workflowId,
      args: [delivery] as [WebhookDelivery],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${delivery.event} of ${delivery.run.id}`,
    };
    try {
      await CancellationScope.nonCancellable(() => startChild(WEBHOOK_DELIVERY, options));
    } catch (failure) {
      log.warn(`The delivery ${workflowId} did not start: ${String(failure)}`);
    }
  }
}

/** Receivers of webhooks expect small bodies. */
function bounded({ wait, result, error }: Details): Details & Pick<WebhookDelivery, 'omitted'> {
  const isLarge = [wait?.toolInput, wait?.note, result?.output].some(tooLarge);
  if (!isLarge) return { wait, result, error };
  return {
    wait: wait && { ...wait, toolInput: small(wait.toolInput), note: small(wait.note ?? null) },
    result: result && { ...result, output: small(result.output) },
    error,
    omitted: true,
  };
}

function small(value: Json): Json {
  return tooLarge(value) ? null : value;
}

function tooLarge(value: Json | undefined): boolean {
  return value !== undefined && jsonBytes(value) > limits.webhookBytes;
}
