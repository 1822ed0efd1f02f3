import { ConfigError } from '../../config/define.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { Telemetry, TelemetryServer } from './telemetry.ts';

/** undefined where the config has no telemetry: then nothing is loaded. Throws ConfigError for an SDK that cannot be used. */
export async function startTelemetry(
  loaded: LoadedConfig,
  server: TelemetryServer,
): Promise<Telemetry | undefined> {
  const { agents, telemetry, models, priceOf } = loaded;
  if (telemetry?.opentelemetry !== true) return undefined;
  const { createTelemetry, sdkProblem } = await import('./opentelemetry.ts');
  const problem = sdkProblem();
  if (problem?.severity === 'error') throw new ConfigError(problem.message);
  if (problem !== undefined) server.onWarning?.(problem.message);
  const descriptionOf = (agent: string) => agents.get(agent)?.description;
  return createTelemetry({ contents: telemetry.contents, models, priceOf, descriptionOf, server });
}

/** Has the SDK send what it still keeps, in at most some seconds. */
export async function flushTelemetry({ telemetry }: LoadedConfig): Promise<void> {
  if (telemetry?.opentelemetry !== true) return;
  const { flush } = await import('./opentelemetry.ts');
  await flush();
}
