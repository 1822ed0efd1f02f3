import type { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import {
  type Content,
  type ContentPart,
  type MediaPart,
  contentText,
  mediaGone,
  mediaOf,
} from '../../agent/values/content.ts';
import { fencedText, isTextFile } from '../../agent/prompt/text-file.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { readMedia } from '../../history/views/read-media.ts';

/** The images and files that requests refer to, each read once from the history that has it and kept while there is room. */
export interface StoredMedia {
  /** The request with its images and files. A text replaces a text file, and what is past the namespace's retention. */
  withData(of: Pick<Context, 'client' | 'info'>, request: ModelRequest): Promise<ModelRequest>;
}

/** `maxBytes` limits the cache. */
export function createStoredMedia(maxBytes: number): StoredMedia {
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
    return {
      ...message,
      content: simplest(await Promise.all(content.map((part) => partOf(client, run, part)))),
    };
  }

  async function partOf(client: Client, run: RunRef, part: ContentPart): Promise<ContentPart> {
    if (part.type === 'text' || part.ref === undefined) return part;
    const data = await dataOf(client, run, part);
    if (data === undefined) return { type: 'text', text: mediaGone(part) };
    if (isTextFile(part))
      return { type: 'text', text: fencedText(Buffer.from(data, 'base64').toString('utf8'), part) };
    const { ref: _, ...rest } = part;
    return { ...rest, data };
  }

  async function dataOf(client: Client, run: RunRef, { ref }: MediaPart): Promise<string | undefined> {
    if (ref === undefined) return undefined;
    const key = JSON.stringify({ ...run, ...ref });
    const known = cache.get(key);
    if (known !== undefined) return known;
    const bytes = await readMedia(client, run, ref);
    if (bytes === undefined) return undefined;
    const data = Buffer.from(bytes).toString('base64');
    cache.set(key, data);
    return data;
  }
}

/** Many models take no list of parts, so a content that has only texts is one text. */
function simplest(content: ContentPart[]): Content {
  return mediaOf(content).length > 0 ? content : contentText(content);
}
