import { once } from 'node:events';
import { openDesk } from './lease-server.ts';
import { tryLock } from '../lock-file.ts';
import { removeRecord, stateFiles } from '../state.ts';
import { supervise, type SuperviseOptions } from './supervisor.ts';

/**
 * A process of its own, `server-keeper OPTIONS-AS-JSON`: keeps one Temporal server for all commands of a project. It
 * belongs to none of them, so it outlives each, and ends when the last has released its lease or died.
 */
async function keepServer(options: SuperviseOptions): Promise<void> {
  const desk = await openDesk();
  const lock = await tryLock(stateFiles(options.stateDir).keeper, desk);
  if (lock === undefined) return desk.close(); // another keeper was faster

  const supervisor = supervise(options);
  desk.serve(supervisor.server);
  let failure: string | undefined;
  try {
    await Promise.race([desk.deserted, supervisor.ended, toldToEnd()]);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    process.exitCode = 1;
  }
  desk.refuse();
  await supervisor.stop();
  await removeRecord(options.stateDir);
  await lock.release(); // not before the server is gone: two on one file would spoil it
  desk.close(failure);
}

async function toldToEnd(): Promise<void> {
  await Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)));
}

// Written by temporal-server.ts of the same version.
await keepServer(JSON.parse(process.argv[2] ?? '') as SuperviseOptions);
