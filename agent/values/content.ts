/** Content of a message beside text. Plain JSON; recorded in history, so fields are only ever added. */

/** A message's content: a text, or texts and images in their order. */
export type Content = string | ContentPart[];

export type ContentPart = TextPart | ImagePart;

export interface TextPart {
  type: 'text';
  text: string;
}

/**
 * An image of a question. `url`: the provider fetches it, and nothing more is known. Any other image is stored with the
 * run; its type and place are recorded, never its content.
 */
export interface ImagePart {
  type: 'image';
  /** `image/png`. */
  mediaType?: string | undefined;
  /** Size of the image itself. */
  bytes?: number | undefined;
  /** https. */
  url?: string | undefined;
  ref?: ImageRef | undefined;
  /** The image in base64: only in requests to a model. */
  data?: string | undefined;
}

/** Place where an image is recorded: after the input of a run, or after a message to a session. */
export interface ImageRef {
  /** Absent for the run in whose history the reference is recorded, which may be reset and so have another id. */
  runId?: string | undefined;
  workflowId?: string | undefined;
  /** The id of the session's message that brought it. */
  message?: string | undefined;
  /** Index among the images there, from 0. */
  index: number;
}

/** Text that the model sees in place of an image that is past the namespace's retention. */
export const IMAGE_GONE = '[image no longer available]';

/** A content as people read it: `[image image/png 34 KB]` in the place of an image. */
export function contentText(content: Content | null): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map((part) => (part.type === 'text' ? part.text : imageText(part))).join('\n');
}

export function imageText({ mediaType, bytes, url }: ImagePart): string {
  return `[image ${[mediaType, url, bytes === undefined ? undefined : sizeText(bytes)].filter(Boolean).join(' ')}]`;
}

export function imagesOf(content: Content | null): ImagePart[] {
  if (content === null || typeof content === 'string') return [];
  return content.filter((part) => part.type === 'image');
}

/** 812 bytes, 34 KB, 1.5 MB. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${Math.ceil(bytes / 100_000) / 10} MB`;
}
