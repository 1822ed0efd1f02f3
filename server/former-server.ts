import { accepts, type Ports } from './free-ports.ts';
import { TemporalUnreachable } from './launcher-error.ts';
import { isAlive, isGone } from './process-identity.ts';
import { readRecord } from './state.ts';

/**
 * Ends the server of a keeper that was killed, and says which ports it had: whoever still looks for it there finds the
 * next one. undefined: the last server ended as it should.
 */
export async function endFormerServer(stateDir: string): Promise<Ports | undefined> {
  const former = await readRecord(stateDir);
  if (former === undefined) return undefined;
  const alive = await isAlive(former);
  // Where the system does not identify processes, its open port has to do.
  if (!alive || (former.born === null && !(await accepts(former.ports.grpc)))) return former.ports;
  kill(former.pid, 'SIGTERM');
  if (!(await isGone(former, 10_000))) kill(former.pid, 'SIGKILL');
  if (await isGone(former, 5_000)) return former.ports;
  throw new TemporalUnreachable(
    `Process ${former.pid}, this project's former Temporal server, cannot be ended. End it and try again.`,
  );
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It was faster; whether it is gone is looked at next.
  }
}
