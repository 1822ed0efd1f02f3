import { createHash } from 'node:crypto';
import {
  type Content,
  type ContentPart,
  type MediaPart,
  contentText,
  mediaOf,
  sizeText,
} from '../../agent/values/content.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, fieldOf, wellFormed } from '../../agent/values/values.ts';
import { InvalidInput } from '../connect/errors.ts';
import { fileTypeOf, imageTypeOf, isImageType } from '../read/media-types.ts';
import { readBytes } from './read-bytes.ts';

/**
 * A part of a question. `image`: an https URL, which the model's provider fetches itself; or the image: its bytes, a data:
 * URL, or base64. PNG, JPEG, GIF or WebP. `file`: its bytes, a data: URL, or base64. A PDF, WAV, MP3, a text in UTF-8, or an
 * image. `mediaType`: found out where it is left out. `filename`: shown to the model.
 */
export type InputPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string | URL | Uint8Array | ArrayBuffer; mediaType?: string | undefined }
  | {
      type: 'file';
      file: string | Uint8Array | ArrayBuffer;
      mediaType?: string | undefined;
      filename?: string | undefined;
    };

/** A question: a text, or texts, images and files in their order. */
export type Input = string | readonly InputPart[];

/** A question as it is recorded, and the bytes of its images and files, in the order in which it refers to them. */
export interface RecordableInput {
  input: Content;
  media: Uint8Array[];
}

/** Throws InvalidInput for an impossible question. JavaScript does not check types. */
export function readInput(input: unknown): RecordableInput {
  if (typeof input === 'string' && input.trim() !== '') return { input, media: [] };
  if (!Array.isArray(input) || input.length === 0) throw new InvalidInput('There is no question.');
  const given: unknown[] = input;
  if (given.length > limits.questionParts) {
    throw new InvalidInput(
      `The question has ${given.length} parts; at most ${limits.questionParts} can be asked at once.`,
    );
  }
  const media: Uint8Array[] = [];
  const parts = given.map((part, index) => readPart(part, `Part ${index + 1} of the question`, media));
  checkSize(media);
  const [first] = mediaOf(parts);
  if (first === undefined) return { input: contentText(parts), media };
  if (parts.some(({ type }) => type === 'text')) return { input: parts, media };
  const text = first.type === 'image' ? 'What is on it?' : 'What does it say?';
  throw new InvalidInput(
    `There is no question beside the ${first.type}: add { type: 'text', text: '${text}' }.`,
  );
}

interface GivenPart {
  [field: string]: unknown;
}

function readPart(part: unknown, name: string, media: Uint8Array[]): ContentPart {
  if (isObject(part) && part['type'] === 'text') return { type: 'text', text: readText(part['text'], name) };
  if (isObject(part) && part['type'] === 'image') return readImagePart(part, name, media);
  if (isObject(part) && part['type'] === 'file') return readFilePart(part, name, media);
  throw new InvalidInput(
    `${name} is none of { type: 'text', text: '…' }, { type: 'image', image: … } and { type: 'file', file: … }.`,
  );
}

function readText(text: unknown, name: string): string {
  if (typeof text === 'string' && text.trim() !== '') return wellFormed(text);
  throw new InvalidInput(`${name} is an empty text. Leave it out, or write the question there.`);
}

function readImagePart({ image, mediaType }: GivenPart, name: string, media: Uint8Array[]): ContentPart {
  if (mediaType !== undefined && (typeof mediaType !== 'string' || !/^image\/[\w.+*-]+$/iu.test(mediaType))) {
    throw new InvalidInput(
      `${name}: the mediaType ${boundedText(mediaType, 100)} is none of an image, such as image/png. Leave it out.`,
    );
  }
  const text = fieldOf(image, 'href') ?? image;
  if (typeof text === 'string' && /^https?:/iu.test(text)) {
    return { type: 'image', mediaType, url: readUrl(text, name) };
  }
  const { bytes, claimed = mediaType } = readBytes(text, name, 'image');
  return { type: 'image', mediaType: imageTypeOf(bytes, claimed, name), ...recorded(bytes, media) };
}

/** An image is recorded as an image, whatever it was given as. */
function readFilePart({ file, ...named }: GivenPart, name: string, media: Uint8Array[]): ContentPart {
  const mediaType = readOptional(named, 'mediaType', name);
  const filename = shownName(readOptional(named, 'filename', name));
  const { bytes, claimed = mediaType } = readBytes(fieldOf(file, 'href') ?? file, name, 'file');
  const found = fileTypeOf(bytes, { claimed, filename }, filename ?? name);
  const place = recorded(bytes, media);
  return isImageType(found)
    ? { type: 'image', mediaType: found, ...place }
    : { type: 'file', mediaType: found, filename, ...place };
}

function recorded(bytes: Uint8Array, media: Uint8Array[]): Pick<MediaPart, 'bytes' | 'sha256' | 'ref'> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.length, sha256, ref: { index: media.push(bytes) - 1 } };
}

function readOptional(part: GivenPart, field: 'mediaType' | 'filename', name: string): string | undefined {
  const value = part[field];
  if (value === undefined || typeof value === 'string') return value;
  const example = field === 'filename' ? 'report.pdf' : 'application/pdf';
  throw new InvalidInput(`${name}: ${field} is a text such as ${example}. Leave it out, or correct it.`);
}

/** The name without folders, on one line. */
function shownName(filename = ''): string | undefined {
  const line = wellFormed(filename).replaceAll(/\p{Cc}+/gu, ' ');
  const name = line.replace(/^.*[/\\]/u, '').trim();
  return name === '' ? undefined : boundedText(name, 200);
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

/** Together, because one payload takes them all. */
function checkSize(media: readonly Uint8Array[]): void {
  const bytes = media.reduce((sum, one) => sum + one.length, 0);
  if (bytes <= limits.mediaBytes) return;
  const what = media.length === 1 ? 'The image or file takes' : `The ${media.length} images and files take`;
  throw new InvalidInput(
    `${what} ${sizeText(bytes)}; at most ${sizeText(limits.mediaBytes)} can be recorded with a question. Give an image as an https URL, which the model's provider fetches itself, or smaller: models shrink large images anyway. Of a file, give the part that matters.`,
  );
}
