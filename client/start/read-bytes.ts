import { types } from 'node:util';
import { boundedText } from '../../agent/values/values.ts';
import { InvalidInput } from '../connect/errors.ts';

export interface GivenBytes {
  bytes: Uint8Array;
  /** Media type in a data: URL. */
  claimed?: string | undefined;
}

/** Words for the two types of parts that have bytes. */
const WORDS = {
  image: {
    forms: 'an https URL, the bytes of an image (a Buffer, a Uint8Array), a data: URL or base64',
    example: 'data:image/png;base64,',
    not: 'neither an https URL nor an image',
  },
  file: {
    forms: 'the bytes of a file (a Buffer, a Uint8Array), a data: URL or base64',
    example: 'data:application/pdf;base64,',
    not: 'not a file in base64',
  },
};

/** Reads the bytes of an image or a file. `name`: of the part, in messages. Throws InvalidInput. */
export function readBytes(given: unknown, name: string, type: 'image' | 'file'): GivenBytes {
  // Bytes of another realm (a test's, a sandbox's) are not instances of our classes, and Temporal would write them as
  // JSON.
  if (types.isUint8Array(given))
    return { bytes: Buffer.from(given.buffer, given.byteOffset, given.byteLength) };
  if (types.isAnyArrayBuffer(given)) return { bytes: Buffer.from(given) };
  const { forms, example, not } = WORDS[type];
  if (typeof given !== 'string') throw new InvalidInput(`${name}: ${type} is ${forms}.`);
  if (/^https?:/iu.test(given)) {
    throw new InvalidInput(
      `${name}: the file ${boundedText(given, 200)} is not fetched. Fetch it yourself and give its bytes.`,
    );
  }
  const [, mediaType, data] = /^data:([^;,]*)(?:;[^;,]*)*?;base64,(.*)$/isu.exec(given) ?? [];
  if (data === undefined && /^data:/iu.test(given))
    throw new InvalidInput(`${name}: the data: URL is not base64: it starts with ${example} or alike.`);
  const base64 = (data ?? given).trim();
  if (!/^[\w+/-]+={0,2}$/u.test(base64)) {
    throw new InvalidInput(
      `${name}: "${boundedText(base64, 60)}" is ${not}. A file's bytes are read with readFile() of node:fs/promises.`,
    );
  }
  return { bytes: Buffer.from(base64, 'base64'), claimed: mediaType === '' ? undefined : mediaType };
}
