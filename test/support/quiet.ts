import { Runtime } from '@temporalio/worker';

/** Sets the SDK up, where nothing else has, to show only errors: tests speak for themselves. */
export function quiet(): void {
  const { _instance: runtime } = Runtime;
  if (runtime !== undefined) return;
  const logger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error };
  Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
}
