/** Content of a message beside text. Plain JSON; recorded in history, so fields are only ever added. */

/** A message's content: a text, or texts, images and files in their order. */
export type Content = string | ContentPart[];

export type ContentPart = TextPart | MediaPart;

/** A part with bytes. */
export type MediaPart = ImagePart | FilePart;

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
  /** SHA-256 of the image itself, in hex. */
  sha256?: string | undefined;
  /** https. */
  url?: string | undefined;
  ref?: MediaRef | undefined;
  /** The image in base64: only in requests to a model. */
  data?: string | undefined;
}

/** A file of a question: a PDF, audio, or a text. It is stored with the run, as an image is. The model is shown a text file as a text. */
export interface FilePart {
  type: 'file';
  /** `application/pdf`, `audio/wav`, `audio/mpeg`, or the type of a text. */
  mediaType: string;
  filename?: string | undefined;
  /** Size of the file itself. */
  bytes?: number | undefined;
  /** SHA-256 of the file itself, in hex. */
  sha256?: string | undefined;
  ref?: MediaRef | undefined;
  /** The file in base64: only in requests to a model. */
  data?: string | undefined;
}

/** Place where an image or a file is recorded: after the input of a run, or after a message to a session. */
export interface MediaRef {
  /** Absent for the run in whose history the reference is recorded, which may be reset and so have another id. */
  runId?: string | undefined;
  workflowId?: string | undefined;
  /** The id of the session's message that brought it. */
  message?: string | undefined;
  /** Index among the images and files there, from 0. */
  index: number;
}

/** Text that the model sees in place of an image or a file that is past the namespace's retention. */
export function mediaGone({ type }: Pick<MediaPart, 'type'>): string {
  return `[${type} no longer available]`;
}

/** A content as people read it: `[image image/png 34 KB]` in the place of an image, `[file a.pdf application/pdf 34 KB]` of a file. */
export function contentText(content: Content | null): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map((part) => (part.type === 'text' ? part.text : mediaText(part))).join('\n');
}

/** The parts with a description in place of each image and file that does not stay; one text, if none stays. */
export function describedIn(parts: readonly ContentPart[], stays: (part: MediaPart) => boolean): Content {
  const described = parts.map((part): ContentPart =>
    part.type === 'text' || stays(part) ? part : { type: 'text', text: mediaText(part) },
  );
  return mediaOf(described).length > 0 ? described : contentText(described);
}

export function mediaText(part: MediaPart): string {
  const { type, mediaType, bytes } = part;
  const name = type === 'file' ? part.filename : undefined;
  const url = type === 'image' ? part.url : undefined;
  const size = bytes === undefined ? undefined : sizeText(bytes);
  return `[${[type, name, mediaType, url, size].filter(Boolean).join(' ')}]`;
}

export function mediaOf(content: Content | null): MediaPart[] {
  if (content === null || typeof content === 'string') return [];
  return content.filter((part) => part.type !== 'text');
}

/** 812 bytes, 34 KB, 1.5 MB. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${Math.ceil(bytes / 100_000) / 10} MB`;
}
