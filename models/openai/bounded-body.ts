import { limits } from '../../agent/limits.ts';

/** Of a stream, a line holds a word or two, or a whole reply where a server sends it in one piece. */
export const LINE_BYTES = 2_000_000;

/** Of an error no more is read: the first words say what it is. */
const ERROR_BYTES = 256_000;

/** Of an error's body the beginning: the client would read it whole, however long it is. */
export async function firstBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let room = ERROR_BYTES;
  for await (const piece of body) {
    pieces.push(piece.subarray(0, room));
    room -= piece.byteLength;
    if (room <= 0) break; // leaving the loop closes the connection
  }
  return Buffer.concat(pieces);
}

/** The text of a body; undefined if it has more than `limits.responseBytes`. The rest of it is not fetched. */
export async function boundedBody({ body }: Response, onPiece: () => void): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let room: number = limits.responseBytes;
  // The web's type of a stream says nothing of its pieces; those of a body are bytes.
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    onPiece();
    room -= piece.byteLength;
    if (room < 0) return undefined; // leaving the loop closes the connection
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The pieces of a stream, but of no line that never ends: the client's reader copies all of it with each packet. */
export async function* boundedLines(
  { body }: Response,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  // As above.
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    const end = piece.lastIndexOf(LINE_BREAK);
    bytes = end === -1 ? bytes + piece.byteLength : piece.byteLength - end;
    if (bytes > LINE_BYTES) throw tooLong();
    yield piece;
  }
}

const LINE_BREAK = 10;
