import { type Content, type ContentPart, type FilePart, mediaOf } from '../values/content.ts';

/** Text files. Each model takes them: it is shown the text, under the file's name. */

/** Types of a text beside `text/…`. */
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-ndjson|x-sh))$/u;

export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType);
}

export function isTextFile(part: ContentPart): part is FilePart {
  return part.type === 'file' && isTextType(part.mediaType);
}

/** Bytes of the text files in a content, which are about as many characters. */
export function textFileBytes(content: Content | null): number {
  return mediaOf(content)
    .filter(isTextFile)
    .reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

/** The file as the model reads it: its name, and its text in a fence that no line of the text ends. */
export function fencedText(
  text: string,
  { filename, mediaType }: Pick<FilePart, 'filename' | 'mediaType'>,
): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `File ${filename ?? `of type ${mediaType}`}:\n${fence}\n${text.replace(/\n$/u, '')}\n${fence}`;
}
