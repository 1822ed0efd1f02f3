import { connect } from 'node:net';
import { TemporalUnreachable } from '../launcher-error.ts';
import type { LockHolder } from '../lock-file.ts';
import type { ServerRecord } from '../state-folder.ts';
import type { KeeperMessage } from './lease-server.ts';
import { onLine } from './lines.ts';

/** The right to a running server: it stays at least as long as this. */
export interface Lease {
  server: ServerRecord;
  keeperPid: number;
  /** Resolves when the keeper is gone before the lease was released: with its error, if it sent one. */
  lost: Promise<string | undefined>;
  release(): Promise<void>;
}

/** A keeper waits for its server up to half a minute, some times over. */
const ANSWER_MS = 120_000;

/** undefined: this keeper is on its way out. Throws TemporalUnreachable where it has no server to give. */
export async function takeLease({ pid, port, token }: LockHolder): Promise<Lease | undefined> {
  if (port === 0) return undefined;
  let error: string | undefined;
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise<undefined>((resolve) => socket.once('close', () => resolve(undefined)));
  const offered = new Promise<ServerRecord>((resolve) => {
    onLine(socket, (line) => {
      const message = JSON.parse(line) as KeeperMessage; // said by the process that has the lock, whose port this is
      if ('error' in message) error = message.error;
      else resolve(message.server);
    });
  });
  socket.setTimeout(ANSWER_MS, () => {
    error = `Process ${pid}, which keeps this project's Temporal server, has not answered for ${ANSWER_MS / 1000} s. End it and try again.`;
    socket.destroy();
  });
  socket.write(`${token}\n`);

  const server = await Promise.race([offered, closed]);
  if (error !== undefined) throw new TemporalUnreachable(error);
  if (server === undefined) return undefined;
  socket.setTimeout(0).unref(); // a lease does not keep its holder alive
  return {
    server,
    keeperPid: pid,
    lost: closed.then(() => error),
    async release() {
      socket.ref().end();
      await closed;
    },
  };
}
