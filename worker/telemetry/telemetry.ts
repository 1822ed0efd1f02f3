import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import { ConfigError } from '../../config/define.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { Model } from '../../models/model.ts';
import type { ReloopSinks } from '../../workflows/operator/emit.ts';

/** Spans and metrics of one worker process. Without types of OpenTelemetry, which a project may not have. */
export interface Telemetry {
  /**
   * Begins the trace of a run: the `traceparent` above its span, or the caller's. Whether the trace is sampled is asked of the SDK once,
   * here.
   */
  begin(run: { agent: string; runId: string }, caller: string | undefined): string;
  /** Receives the spans of calls and runs that are over, and the waits that begin. */
  sinks: Pick<ReloopSinks['reloop'], 'span' | 'wait'>;
  /** Makes a span of each attempt, under which the spans of the user's own instrumentation are. */
  interceptor: ActivityInterceptorsFactory;
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

/** undefined where the config has no telemetry: then nothing is loaded. Throws ConfigError for an SDK that cannot be used. */
export async function startTelemetry(
  loaded: LoadedConfig,
  server: TelemetryServer,
): Promise<Telemetry | undefined> {
  const { telemetry, models, priceOf } = loaded;
  if (telemetry?.opentelemetry !== true) return undefined;
  const { createTelemetry, sdkProblem } = await import('./opentelemetry.ts');
  const problem = sdkProblem();
  if (problem?.severity === 'error') throw new ConfigError(problem.message);
  if (problem !== undefined) server.onWarning?.(problem.message);
  return createTelemetry({ contents: telemetry.contents, models, priceOf, server });
}

/** Has the SDK send what it still keeps, in at most some seconds. */
export async function flushTelemetry({ telemetry }: LoadedConfig): Promise<void> {
  if (telemetry?.opentelemetry !== true) return;
  const { flush } = await import('./opentelemetry.ts');
  await flush();
}
