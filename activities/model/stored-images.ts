import type { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { type ContentPart, IMAGE_GONE, type ImagePart } from '../../agent/values/content.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { readImage } from '../../history/views/read-image.ts';

/** The images that requests refer to, each read once from the history that has it and kept while there is room. */
export interface StoredImages {
  /** The request with its images. A text replaces an image that is past the namespace's retention. */
  withData(of: Pick<Context, 'client' | 'info'>, request: ModelRequest): Promise<ModelRequest>;
}

/** `maxBytes` limits the cache. */
export function createStoredImages(maxBytes: number): StoredImages {
  const cache = new LRUCache<string, string>({
    maxSize: maxBytes,
    sizeCalculation: (data) => 1 + data.length,
  });

  return {
    async withData({ client, info }, request) {
      const { prompt } = request;
      const run = { workflowId: '', runId: '', ...info.workflowExecution };
      if (prompt.type === 'text') return request;
      const messages = await Promise.all(prompt.messages.map((message) => filled(client, run, message)));
      return { ...request, prompt: { ...prompt, messages } };
    },
  };

  async function filled(client: Client, run: RunRef, message: ChatMessage): Promise<ChatMessage> {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    return { ...message, content: await Promise.all(content.map((part) => partOf(client, run, part))) };
  }

  async function partOf(client: Client, run: RunRef, part: ContentPart): Promise<ContentPart> {
    if (part.type === 'text' || part.ref === undefined) return part;
    const data = await dataOf(client, run, part);
    const { ref: _, ...image } = part;
    return data === undefined ? { type: 'text', text: IMAGE_GONE } : { ...image, data };
  }

  async function dataOf(client: Client, run: RunRef, { ref }: ImagePart): Promise<string | undefined> {
    if (ref === undefined) return undefined;
    const key = JSON.stringify({ ...run, ...ref });
    const known = cache.get(key);
    if (known !== undefined) return known;
    const image = await readImage(client, run, ref);
    if (image === undefined) return undefined;
    const data = Buffer.from(image).toString('base64');
    cache.set(key, data);
    return data;
  }
}

/** Most requests have no images, and nothing has to be read for them. */
export function hasImages({ prompt }: ModelRequest): boolean {
  return prompt.type === 'messages' && prompt.messages.some(({ content }) => Array.isArray(content));
}
