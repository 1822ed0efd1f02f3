import { setTimeout as sleep } from 'node:timers/promises';

/** An event holds a word or two, or a whole reply where a server sends the reply in one piece. */
export const EVENT_BYTES = 2_000_000;

export interface EventStream {
  /** The bytes of whole events. Ends after `data: [DONE]`, even where the server leaves the connection open. */
  pieces: AsyncIterable<Uint8Array>;
  /** Some servers give no finish reason but do say `[DONE]`, which the client's reader does not pass on. */
  done(): boolean;
  /** Bytes that have come so far. */
  bytes(): number;
}

export interface EventStreamOptions {
  /** The error of an event that is longer than {@link EVENT_BYTES}. */
  tooLong(): Error;
  /** Closes the connection. */
  cut(): void;
}

/** Server-sent events for the client's reader, which copies all since the last empty line with each packet. */
export function eventStream({ body }: Response, { tooLong, cut }: EventStreamOptions): EventStream {
  let isDone = false;
  let received = 0;

  async function* events() {
    // The web's type of a stream says nothing of its pieces; those of a body are bytes.
    const packets = ((body ?? []) as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    let tail: Uint8Array = Buffer.from('\n');
    let isOver = false;
    try {
      while (!isDone) {
        const packet = await nextOf(packets);
        isOver = packet === undefined;
        if (packet === undefined) break;
        received += packet.byteLength;
        const near = Buffer.concat([tail, packet]);
        const end = endOfEvents(near) - tail.byteLength;
        isDone = saysDone(near);
        tail = near.subarray(-TAIL_BYTES);
        if (end > 0) {
          yield Buffer.concat([...held, packet.subarray(0, end)]);
          held = [];
          heldBytes = 0;
        }
        const rest = end > 0 ? packet.subarray(end) : packet;
        held.push(rest);
        heldBytes += rest.byteLength;
        if (heldBytes > EVENT_BYTES) throw tooLong();
      }
      yield Buffer.concat(held);
      if (!isOver) isOver = await endsSoon(packets);
    } finally {
      // `cut` is not awaited: it would wait for a packet that is still awaited.
      if (!isOver) cut();
    }
  }

  return { pieces: events(), done: () => isDone, bytes: () => received };
}

/** Bytes of `data: [DONE]` and the line break before it. */
const TAIL_BYTES = 13;

function saysDone(bytes: Buffer): boolean {
  return bytes.includes('[DONE]') && /[\r\n]data: ?\[DONE\]/.test(bytes.toString('latin1'));
}

/** Index after the last empty line; 0 without one. */
function endOfEvents(bytes: Buffer): number {
  const ends = ['\n\n', '\r\r', '\r\n\r\n'].map((empty) => {
    const at = bytes.lastIndexOf(empty);
    return at === -1 ? 0 : at + empty.length;
  });
  return Math.max(...ends);
}

/**
 * Longest wait for the end of a response after `[DONE]`: a response that was read to its end leaves its connection
 * open.
 */
const END_MS = 100;

async function endsSoon(packets: AsyncIterator<Uint8Array>): Promise<boolean> {
  const over = nextOf(packets).then(
    (packet) => packet === undefined,
    () => false,
  );
  return Promise.race([over, sleep(END_MS, false, { ref: false })]);
}

async function nextOf(packets: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const next = await packets.next();
  return next.done === true ? undefined : next.value;
}
