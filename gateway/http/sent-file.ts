import type { InputPart } from '../../client/index.ts';

/** A file as a protocol sends it: its bytes, a data: URL, base64, or, for an image alone, an https URL. */
export interface SentFile {
  content: string | Uint8Array;
  mediaType?: string | undefined;
  filename?: string | undefined;
}

/** A part of a question. The client reads what it is, and refuses a URL of a file that is not an image. */
export function filePart({ content, mediaType, filename }: SentFile): InputPart {
  // An SVG image is a text.
  return mediaType !== undefined && /^image\/(?!svg)/iu.test(mediaType)
    ? { type: 'image', image: content, mediaType }
    : { type: 'file', file: content, mediaType: mediaType || undefined, filename: filename || undefined };
}
