import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import type { BudgetShare } from '../../activities/limits/budget-keeper.ts';
import type { LimitWait } from '../../activities/limits/model-limiter.ts';
import type { BreakerReport } from '../../activities/model/breaker.ts';
import type { Model } from '../../adapters/models/model.ts';
import type { RunSpan } from '../../agent/views/run-spans.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';

/** Spans and metrics of one worker process. Without types of OpenTelemetry, which a project may not have. */
export interface Telemetry {
  /**
   * Starts the trace of a run: the `traceparent` above its span, or the caller's. Whether the trace is sampled is asked of the SDK once,
   * here.
   */
  begin(run: { agent: string; runId: string }, caller: string | undefined): string;
  /** Receives the spans of calls and runs that are over, and the waits that start. */
  sinks: { span(span: RunSpan): void; wait(wait: { agent: string; reason: WaitingReason }): void };
  /** Makes a span of each attempt, under which the spans of the user's own instrumentation are. */
  interceptor: ActivityInterceptorsFactory;
  /** Receives the waits for models' limits that are over. */
  limitWaited(wait: LimitWait): void;
  /** Receives the shares of budgets that are used. */
  budgetCounted(share: BudgetShare): void;
  /** Counts the outage of a model that starts, or that is over. */
  outage(change: Pick<BreakerReport, 'adapter' | 'model' | 'isOpen'>): void;
  /** The same models, with metrics of each request. */
  measured(models: ReadonlyMap<string, Model>): ReadonlyMap<string, Model>;
}

export interface TelemetryServer {
  connection: NativeConnection | undefined;
  namespace: string;
  /** Runs that wait can be counted by their status. */
  searchAttributes: boolean;
  onWarning?: ((text: string) => void) | undefined;
}
