import { types } from 'node:util';
import {
  type Content,
  type ContentPart,
  contentText,
  imagesOf,
  sizeText,
} from '../../agent/values/content.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, fieldOf, wellFormed } from '../../agent/values/values.ts';
import { InvalidInput } from '../connect/errors.ts';
import { mediaTypeOf } from '../read/image-bytes.ts';

/**
 * A part of a question. `image`: an https URL, which the model's provider fetches itself; or the image: its bytes, a data:
 * URL, or base64. PNG, JPEG, GIF or WebP. `mediaType`: found out where it is left out.
 */
export type InputPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string | URL | Uint8Array | ArrayBuffer; mediaType?: string | undefined };

/** A question: a text, or texts and images in their order. */
export type Input = string | readonly InputPart[];

/** A question as it is recorded, and its images' bytes, in the order in which it refers to them. */
export interface RecordableInput {
  input: Content;
  images: Uint8Array[];
}

/** Throws InvalidInput for an impossible question. JavaScript does not check types. */
export function readInput(input: unknown): RecordableInput {
  if (typeof input === 'string' && input.trim() !== '') return { input, images: [] };
  if (!Array.isArray(input) || input.length === 0) throw new InvalidInput('There is no question.');
  const given: unknown[] = input;
  if (given.length > limits.questionParts) {
    throw new InvalidInput(
      `The question has ${given.length} parts; at most ${limits.questionParts} can be asked at once.`,
    );
  }
  const images: Uint8Array[] = [];
  const parts = given.map((part, index) => readPart(part, `Part ${index + 1} of the question`, images));
  checkSize(images);
  if (parts.every(({ type }) => type === 'image')) {
    throw new InvalidInput(
      "There is no question beside the image: add { type: 'text', text: 'What is on it?' }.",
    );
  }
  return { input: imagesOf(parts).length > 0 ? parts : contentText(parts), images };
}

function readPart(part: unknown, name: string, images: Uint8Array[]): ContentPart {
  if (isObject(part) && part['type'] === 'text') return { type: 'text', text: readText(part['text'], name) };
  if (isObject(part) && part['type'] === 'image') return readImagePart(part, name, images);
  throw new InvalidInput(`${name} is neither { type: 'text', text: '…' } nor { type: 'image', image: … }.`);
}

function readText(text: unknown, name: string): string {
  if (typeof text === 'string' && text.trim() !== '') return wellFormed(text);
  throw new InvalidInput(`${name} is an empty text. Leave it out, or write the question there.`);
}

function readImagePart(part: { [field: string]: unknown }, name: string, images: Uint8Array[]): ContentPart {
  const { image, mediaType } = part;
  if (mediaType !== undefined && (typeof mediaType !== 'string' || !/^image\/[\w.+*-]+$/iu.test(mediaType))) {
    throw new InvalidInput(
      `${name}: the mediaType ${boundedText(mediaType, 100)} is none of an image, such as image/png. Leave it out.`,
    );
  }
  const text = fieldOf(image, 'href') ?? image;
  if (typeof text === 'string' && /^https?:/iu.test(text)) {
    return { type: 'image', mediaType, url: readUrl(text, name) };
  }
  const { bytes, claimed = mediaType } = readBytes(text, name);
  const found = mediaTypeOf(bytes, claimed, name);
  const index = images.push(bytes) - 1;
  return { type: 'image', mediaType: found, bytes: bytes.length, ref: { index } };
}

/** Checks the form of a URL. The image is not fetched here: the provider does that. */
function readUrl(text: string, name: string): string {
  if (!/^https:/iu.test(text)) {
    throw new InvalidInput(
      `${name}: ${boundedText(text, 200)} is not https, which providers do not fetch. Fetch it yourself and give its bytes.`,
    );
  }
  if (!URL.canParse(text) || text.length > limits.urlChars) {
    throw new InvalidInput(
      `${name}: ${boundedText(text, 200)} is not a URL of at most ${limits.urlChars} characters.`,
    );
  }
  return new URL(text).href;
}

interface GivenBytes {
  bytes: Uint8Array;
  /** Media type in a data: URL. */
  claimed?: string | undefined;
}

function readBytes(image: unknown, name: string): GivenBytes {
  // Bytes of another realm (a test's, a sandbox's) are not instances of our classes, and Temporal would write them as
  // JSON.
  if (types.isUint8Array(image))
    return { bytes: Buffer.from(image.buffer, image.byteOffset, image.byteLength) };
  if (types.isAnyArrayBuffer(image)) return { bytes: Buffer.from(image) };
  if (typeof image !== 'string') {
    throw new InvalidInput(
      `${name}: image is an https URL, the bytes of an image (a Buffer, a Uint8Array), a data: URL or base64.`,
    );
  }
  const [, mediaType, data] = /^data:([^;,]*)(?:;[^;,]*)*?;base64,(.*)$/isu.exec(image) ?? [];
  if (data === undefined && /^data:/iu.test(image))
    throw new InvalidInput(
      `${name}: the data: URL is not base64: it starts with data:image/png;base64, or alike.`,
    );
  const base64 = (data ?? image).trim();
  if (!/^[\w+/-]+={0,2}$/u.test(base64)) {
    throw new InvalidInput(
      `${name}: "${boundedText(base64, 60)}" is neither an https URL nor an image. A file's bytes are read with readFile() of node:fs/promises.`,
    );
  }
  return { bytes: Buffer.from(base64, 'base64'), claimed: mediaType === '' ? undefined : mediaType };
}

/** Together, because one payload takes them all. */
function checkSize(images: readonly Uint8Array[]): void {
  const bytes = images.reduce((sum, image) => sum + image.length, 0);
  if (bytes <= limits.imagesBytes) return;
  const what = images.length === 1 ? 'The image takes' : `The ${images.length} images take`;
  throw new InvalidInput(
    `${what} ${sizeText(bytes)}; at most ${sizeText(limits.imagesBytes)} can be recorded with a question. Give an https URL, which the model's provider fetches itself, or make them smaller: models shrink large images anyway.`,
  );
}
