import { z } from 'zod/v4';
import { requirePackage } from '../../adapters/tools/optional-package.ts';
import { ConfigError, type TelemetryOptions } from '../define.ts';
import { LISTEN_ADDRESS } from '../listen-address.ts';
import { options } from './options.ts';

/** The options of a config with telemetry, complete. */
export interface Telemetry {
  opentelemetry: boolean;
  contents: boolean;
  prometheus: string | undefined;
}

export const telemetrySchema = z.union(
  [
    z.boolean(),
    options({
      opentelemetry: z.boolean(),
      contents: z.boolean(),
      prometheus: z.string().regex(LISTEN_ADDRESS, 'is not an address such as 127.0.0.1:9464'),
    }).partial(),
  ],
  {
    error: (issue) =>
      typeof issue.input === 'object' && issue.input !== null
        ? undefined
        : 'is neither true nor { contents, prometheus, … }',
  },
);

/** undefined: the config has no telemetry. Throws ConfigError with the package to install. */
export function completeTelemetry(given: boolean | TelemetryOptions = false): Telemetry | undefined {
  if (given === false) return undefined;
  const { opentelemetry = true, contents = false, prometheus } = given === true ? {} : given;
  if (opentelemetry) requireApi();
  return { opentelemetry, contents, prometheus };
}

function requireApi(): void {
  try {
    requirePackage('@opentelemetry/api', 'telemetry');
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}
