import { Runtime } from '@temporalio/worker';

/** Tests speak for themselves; of the SDK only errors are shown. Once per process, before anything else of the SDK. */
export function quiet(): void {
  const logger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error };
  Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
}
