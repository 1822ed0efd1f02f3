import { readFile, stat } from 'node:fs/promises';
import { sizeText } from '../../agent/values/content.ts';
import { takesNoImages } from '../../agent/kinds/takes-images.ts';
import { limits } from '../../agent/values/limits.ts';
import { mediaTypeOf } from '../../client/read/image-bytes.ts';
import { type Input, type InputPart, readInput } from '../../client/start/read-input.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { UsageError } from '../shell/io.ts';

/**
 * The question with its images after it: each a file, or a URL that the provider fetches. Throws UsageError, and
 * InvalidInput for an impossible question.
 */
export async function withImages(question: string, images: readonly string[] = []): Promise<Input> {
  if (images.length === 0) return question;
  const input = [{ type: 'text', text: question } as const, ...(await Promise.all(images.map(imagePart)))];
  readInput(input); // before anything is started
  return input;
}

/** Throws for an agent that can be asked about no image. */
export function checkTakesImages(loaded: LoadedConfig, agent: string): void {
  const manifest = loaded.manifest(agent, {});
  const problem = manifest && takesNoImages(loaded.kinds, manifest);
  if (problem !== undefined) throw new UsageError(problem);
}

async function imagePart(image: string): Promise<InputPart> {
  if (/^(?:https?|data):/iu.test(image)) return { type: 'image', image };
  const bytes = await readImageFile(image);
  return { type: 'image', image: bytes, mediaType: mediaTypeOf(bytes, undefined, image) };
}

/** A file that is too large is not read. */
async function readImageFile(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size <= limits.imagesBytes) return await readFile(path);
    throw new UsageError(
      `--image ${path} takes ${sizeText(size)}; at most ${sizeText(limits.imagesBytes)} can be recorded with a question. Give its https URL, or make it smaller: models shrink large images anyway.`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException; // of the file system
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(`--image ${path} cannot be read: ${why}. Name a file, or an https URL.`, {
      cause: error,
    });
  }
}
