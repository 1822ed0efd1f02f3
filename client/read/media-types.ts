import { isUtf8 } from 'node:buffer';
import { sizeText } from '../../agent/values/content.ts';
import { isTextType } from '../../agent/prompt/text-file.ts';
import { InvalidInput } from '../connect/errors.ts';

/**
 * Media type of an image, read from its first bytes: a name or a header may be wrong. Throws InvalidInput for a type
 * that no model takes.
 */
export function imageTypeOf(bytes: Uint8Array, claimed: string | undefined, what: string): string {
  const found = signedType(bytes, what);
  if (found === undefined || !isImageType(found)) {
    throw new InvalidInput(
      `${what} (${sizeText(bytes.length)}) is not a PNG, JPEG, GIF or WebP: models take images of these kinds only. Convert it${found === undefined ? '' : `, or give it as a file: it is ${found}`}.`,
    );
  }
  if (claimed === 'image/*') return found;
  return agreed(found, claimed, what);
}

/**
 * Media type of a file, read from its bytes as far as they say it: an image, a PDF, WAV or MP3. Any other file is a text in UTF-8, whose
 * type is in `claimed` or in the file's name. Throws InvalidInput for a type that no model takes.
 */
export function fileTypeOf(
  bytes: Uint8Array,
  { claimed, filename = '' }: { claimed?: string | undefined; filename?: string | undefined },
  what: string,
): string {
  const found = signedType(bytes, what);
  if (found !== undefined) return agreed(found, claimed, what);
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new InvalidInput(
      `${what} (${sizeText(bytes.length)}) is none of the files that models take: images, PDF, WAV, MP3, and texts in UTF-8. Convert it.`,
    );
  }
  const [, ending = ''] = /\.(\w+)$/u.exec(filename) ?? [];
  const named = TEXT_TYPES[ending.toLowerCase()];
  if (claimed === undefined || UNKNOWN.test(claimed)) return named ?? 'text/plain';
  const type = normal(claimed);
  if (isTextType(type)) return type;
  // A browser calls a CSV file a spreadsheet, and a TypeScript file a video.
  if (signatures.every(({ mediaType }) => mediaType !== type)) return named ?? 'text/plain';
  throw new InvalidInput(
    `${what} is called ${claimed}, but its bytes are a text. Correct mediaType, or leave it out.`,
  );
}

export function isImageType(mediaType: string): boolean {
  return mediaType.startsWith('image/');
}

function signedType(bytes: Uint8Array, what: string): string | undefined {
  if (bytes.length === 0) throw new InvalidInput(`${what} is empty: it has no bytes.`);
  return signatures.find(({ isIt }) => isIt(bytes))?.mediaType;
}

function agreed(found: string, claimed: string | undefined, what: string): string {
  if (claimed === undefined || UNKNOWN.test(claimed) || normal(claimed) === found) return found;
  throw new InvalidInput(
    `${what} is called ${claimed}, but its bytes are ${found}. Correct mediaType, or leave it out.`,
  );
}

/** Names for bytes of which nothing is known. */
const UNKNOWN = /^(?:|application\/octet-stream|\*\/\*)$/u;

const signatures: { mediaType: string; isIt(bytes: Uint8Array): boolean }[] = [
  { mediaType: 'image/png', isIt: (bytes) => begins(bytes, '\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', isIt: (bytes) => begins(bytes, '\xff\xd8\xff') },
  { mediaType: 'image/gif', isIt: (bytes) => begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a') },
  { mediaType: 'image/webp', isIt: (bytes) => begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WEBP') },
  { mediaType: 'application/pdf', isIt: (bytes) => begins(bytes, '%PDF-') },
  { mediaType: 'audio/wav', isIt: (bytes) => begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WAVE') },
  { mediaType: 'audio/mpeg', isIt: (bytes) => isId3Tag(bytes) || isMp3Frame(bytes) },
];

/** The tag's version, 2 to 4, follows its name: a text may begin with the name. */
function isId3Tag(bytes: Uint8Array): boolean {
  const version = bytes[3] ?? 0;
  return begins(bytes, 'ID3') && version >= 2 && version <= 4;
}

/** The first 11 bits are set; the layer is the third. */
function isMp3Frame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe6) === 0xe2;
}

function begins(bytes: Uint8Array, signature: string): boolean {
  return Buffer.from(signature, 'latin1').equals(bytes.subarray(0, signature.length));
}

/** The type's usual name, without parameters such as the charset. */
function normal(mediaType: string): string {
  const [type = ''] = mediaType.toLowerCase().split(';');
  return USUAL_NAMES[type.trim()] ?? type.trim();
}

const USUAL_NAMES: { readonly [name: string]: string | undefined } = {
  'image/jpg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

/** Types of texts, by the ending of a file's name. */
const TEXT_TYPES: { readonly [ending: string]: string | undefined } = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  md: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};
