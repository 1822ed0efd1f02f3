import type { AgentManifest, RequestParams } from '../definition/manifest.ts';
import type { AgentKind } from '../definition/kind.ts';
import type { TakenMedia } from './place-media.ts';
import { type Content, type MediaPart, mediaOf } from '../values/content.ts';
import { isTextFile, isTextType } from '../prompt/text-file.ts';

/** Images and files of a question, as far as it matters who takes them. */
export interface MediaOfQuestion {
  images?: true | undefined;
  /** Media types of the files. */
  files?: string[] | undefined;
}

export function mediaIn(input: Content): MediaOfQuestion {
  const media = mediaOf(input);
  const files = media.flatMap((part) => (part.type === 'file' ? [part.mediaType] : []));
  return {
    images: media.some(({ type }) => type === 'image') || undefined,
    files: files.length === 0 ? undefined : [...new Set(files)],
  };
}

/** The images and files that an agent is shown; others are described to it in words. A text file is a text to every kind. */
export function takenMedia({ images }: AgentKind, params: RequestParams): TakenMedia {
  const takes = (part: MediaPart) =>
    part.type === 'image' ? params.images !== false : params.files !== false || isTextFile(part);
  return {
    asked: (part) => params.api === 'chat' && (images === true ? takes(part) : isTextFile(part)),
    earlier: (part) => params.api === 'chat' && images === true && takes(part),
  };
}

/** Reason why an agent does not take the images and files of a question, with the remedy; undefined if it takes them. */
export function mediaProblem(
  kinds: ReadonlyMap<string, AgentKind>,
  { name, kind, params }: AgentManifest,
  { images, files = [] }: MediaOfQuestion,
): string | undefined {
  const binary = files.filter((type) => !isTextType(type));
  const taking = [...kinds.values()].filter((other) => other.images === true).map((other) => other.name);
  const others = `ask an agent of another kind: ${taking.join(', ') || 'none'}.`;
  if (kinds.get(kind)?.images !== true) {
    if (images === true)
      return `Agent "${name}" is of kind ${kind}, which takes no images in a question. Describe the image in words, or ${others}`;
    if (binary.length > 0)
      return `Agent "${name}" is of kind ${kind}, which takes no files but texts, and no ${binary.join(', ')}. Give it the text of the file, or ${others}`;
  }
  if (images === true && params.images === false) {
    return `Agent "${name}" takes no images (images: false). Describe the image in words, or ask an agent whose model takes images.`;
  }
  if (binary.length > 0 && params.files === false) {
    return `Agent "${name}" takes no files but texts (files: false), and no ${binary.join(', ')}. Give it the text of the file, or ask an agent whose model takes such files.`;
  }
  if (params.api === 'chat' || (images !== true && files.length === 0)) return undefined;
  const what = images === true ? 'images' : 'files';
  return `Agent "${name}" asks its model by legacy completions, which cannot carry ${what}: give it api: 'chat'.`;
}
