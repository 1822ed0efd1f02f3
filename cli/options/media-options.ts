import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Content, sizeText } from '../../agent/values/content.ts';
import { mediaIn, mediaProblem } from '../../agent/transcript/takes-media.ts';
import { limits } from '../../agent/values/limits.ts';
import { fileTypeOf, imageTypeOf } from '../../client/read/media-types.ts';
import { type Input, type InputPart, readInput } from '../../client/start/read-input.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { UsageError } from '../shell/io.ts';

export interface MediaOptions {
  /** Files, and URLs that the provider fetches. */
  image?: string[];
  /** Files. */
  file?: string[];
}

/**
 * The question with its images and then its files after it. Throws UsageError, and InvalidInput for an impossible question.
 */
export async function withMedia(question: string, { image = [], file = [] }: MediaOptions): Promise<Input> {
  if (image.length + file.length === 0) return question;
  const media = await Promise.all([...image.map(imagePart), ...file.map(filePart)]);
  const input = [{ type: 'text', text: question } as const, ...media];
  readInput(input); // before anything is started
  return input;
}

/** Throws for an agent that does not take the images or files of the question. */
export function checkTakesMedia(loaded: LoadedConfig, agent: string, input: Input): void {
  const manifest = loaded.manifest(agent, {});
  const content: Content = readInput(input).input;
  const problem = manifest && mediaProblem(loaded.kinds, manifest, mediaIn(content));
  if (problem !== undefined) throw new UsageError(problem);
}

async function imagePart(image: string): Promise<InputPart> {
  if (/^(?:https?|data):/iu.test(image)) return { type: 'image', image };
  const bytes = await readBytesOf('--image', image);
  return { type: 'image', image: bytes, mediaType: imageTypeOf(bytes, undefined, image) };
}

async function filePart(path: string): Promise<InputPart> {
  const bytes = await readBytesOf('--file', path);
  const filename = basename(path);
  return { type: 'file', file: bytes, filename, mediaType: fileTypeOf(bytes, { filename }, path) };
}

/** Remedies for a file that is too large, and for one that cannot be read. */
const REMEDIES = {
  '--image': {
    smaller: 'Give its https URL, or make it smaller: models shrink large images anyway.',
    other: 'Name a file, or an https URL.',
  },
  '--file': { smaller: 'Give the part of it that the question is about.', other: 'Name a file.' },
};

/** A file that is too large is not read. */
async function readBytesOf(option: keyof typeof REMEDIES, path: string): Promise<Uint8Array> {
  const { smaller, other } = REMEDIES[option];
  try {
    const { size } = await stat(path);
    if (size <= limits.mediaBytes) return await readFile(path);
    throw new UsageError(
      `${option} ${path} takes ${sizeText(size)}; at most ${sizeText(limits.mediaBytes)} can be recorded with a question. ${smaller}`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException; // of the file system
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(`${option} ${path} cannot be read: ${why}. ${other}`, { cause: error });
  }
}
