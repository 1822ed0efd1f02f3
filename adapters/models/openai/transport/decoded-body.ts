import { type Readable, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

type Bytes = AsyncIterable<Uint8Array>;

const DECODERS: { [encoding: string]: () => NodeJS.ReadWriteStream | ((source: Bytes) => Bytes) } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: () => inflated,
  br: createBrotliDecompress,
};

/** The body without its `content-encoding`, as fetch reads it. A body of an unknown encoding is left as it is. */
export function decodedBody(body: Readable, encodings: string | null): Readable {
  const names = (encodings ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0 || names.length > MOST_ENCODINGS) return body;
  const decoders = names.toReversed().map((name) => DECODERS[name]);
  if (!decoders.every((decoder) => decoder !== undefined)) return body;
  // An error, or the end of the reader, reaches each stream.
  const streams = [body, ...decoders.map((decoder) => decoder())] as [Readable, NodeJS.ReadWriteStream];
  return pipeline(streams, () => {}) as unknown as Readable; // the types know no list of unknown length
}

const MOST_ENCODINGS = 5;

/** Some servers leave out the frame of zlib, whose first byte says that the method is 8. */
async function* inflated(source: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  const packets = source[Symbol.asyncIterator]();
  let first = await packets.next();
  while (first.done !== true && first.value.byteLength === 0) first = await packets.next();
  if (first.done === true) return;
  const start = first.value;
  const all = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => packets };
  };
  const decoder = ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
  yield* pipeline(all, decoder, () => {});
}
