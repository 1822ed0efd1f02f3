import { setTimeout as sleep } from 'node:timers/promises';
import { TemporalUnreachable } from '../launcher-error.ts';
import { accepts, type Ports } from '../ports.ts';
import { isAlive } from '../process-identity.ts';
import { readRecord, type ServerRecord } from '../state-folder.ts';

/**
 * Ends the server of a keeper that was killed, and returns its ports: a program that still looks for it there finds the
 * next one. undefined: the last server ended as it should.
 */
export async function endFormerServer(stateDir: string): Promise<Ports | undefined> {
  const former = readRecord(stateDir);
  if (former === undefined) return undefined;
  // If the system does not identify processes, check the open port.
  const unsure = former.startedAt === null && !(await accepts(former.ports.grpc));
  if (unsure || (await ends(former, 'SIGTERM', 10_000)) || (await ends(former, 'SIGKILL', 5_000))) {
    return former.ports;
  }
  throw new TemporalUnreachable(
    `Process ${former.pid}, this project's former Temporal server, cannot be ended. End it and try again.`,
  );
}

async function ends(server: ServerRecord, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  if (!(await isAlive(server))) return true;
  try {
    process.kill(server.pid, signal);
  } catch {
    // The process ended on its own meanwhile; the next check sees that.
  }
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(50)) {
    if (!(await isAlive(server))) return true;
  }
  return false;
}
