import { rm } from 'node:fs/promises';
import { tryLock } from '../lock-file.ts';
import { removeRecord, stateFiles } from '../state-folder.ts';
import { openLeaseServer } from './lease-server.ts';
import { supervise, type SuperviseOptions } from './supervisor.ts';

/**
 * A separate process, `keeper OPTIONS-AS-JSON`: keeps one Temporal server for all commands of a project. It is
 * not a child of any of them, so it outlives each, and ends when the last has released its lease or died.
 */
async function keepServer(options: SuperviseOptions): Promise<void> {
  process.umask(0o077); // its database and log hold every prompt
  const leases = await openLeaseServer();
  const lock = await tryLock(stateFiles(options.stateDir).keeper, leases);
  if (lock === undefined) return leases.close(); // another keeper was faster

  const signalled = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => signalled.abort());
  const stop = AbortSignal.any([signalled.signal, leases.idle]);
  stop.addEventListener('abort', leases.refuse);

  let failure: string | undefined;
  try {
    await supervise(options, leases.offer, stop);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    process.exitCode = 1;
  }
  leases.refuse();
  await removeRecord(options.stateDir);
  if (options.ephemeral) await rm(options.stateDir, { recursive: true, force: true });
  await lock.release(); // not before the server is gone: two on one file would spoil it
  leases.close(failure);
}

// Written by server.ts of the same version.
await keepServer(JSON.parse(process.argv[2] ?? '') as SuperviseOptions);
