import { connect, type Socket } from 'node:net';
import { TemporalUnreachable } from '../launcher-error.ts';
import { lines, type DeskMessage } from './lease-server.ts';
import type { LockHolder } from '../lock-file.ts';
import type { ServerRecord } from '../state.ts';

/** The right to a running server: it stays at least as long as this. */
export interface Lease {
  server: ServerRecord;
  keeperPid: number;
  /** Resolves when the keeper is gone before the lease was released: with what it said, if it said something. */
  lost: Promise<string | undefined>;
  release(): Promise<void>;
}

/** A keeper waits for its server up to half a minute, some times over. */
const ANSWER_MS = 120_000;

/** undefined: this keeper is on its way out. Throws TemporalUnreachable where it has no server to give. */
export async function takeLease(keeper: LockHolder): Promise<Lease | undefined> {
  if (keeper.port === undefined) return undefined;
  const socket = connect(keeper.port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const messages = listen(socket);
  socket.write(`${keeper.token}\n`);

  const message = await Promise.race([messages.first, closed.then(() => undefined), tooLong(keeper, socket)]);
  if (message === undefined) return undefined;
  if ('error' in message) {
    socket.destroy();
    throw new TemporalUnreachable(message.error);
  }
  socket.unref(); // a lease does not keep its holder alive
  return {
    server: message.server,
    keeperPid: keeper.pid,
    lost: closed.then(() => messages.lastError()),
    async release() {
      socket.ref();
      socket.end();
      await closed;
    },
  };
}

function listen(socket: Socket): { first: Promise<DeskMessage>; lastError(): string | undefined } {
  let error: string | undefined;
  let arrive: (message: DeskMessage) => void;
  const first = new Promise<DeskMessage>((resolve) => (arrive = resolve));
  lines(socket).on('line', (line) => {
    const message = JSON.parse(line) as DeskMessage; // said by the process that has the lock, whose port this is
    if ('error' in message) error = message.error;
    arrive(message);
  });
  return { first, lastError: () => error };
}

async function tooLong({ pid }: LockHolder, socket: Socket): Promise<never> {
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS);
    socket.once('data', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
  socket.destroy();
  throw new TemporalUnreachable(
    `Process ${pid}, which keeps this project's Temporal server, has not answered for ${ANSWER_MS / 1000} s. End it and try again.`,
  );
}
