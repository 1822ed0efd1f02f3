import {
  type Content,
  type ContentPart,
  type MediaPart,
  describedIn,
  mediaOf,
  mediaText,
} from '../values/content.ts';
import type { ModelPrompt, PromptContext } from '../definition/kind.ts';

/**
 * Places the images and files of a question that a kind knows as a text: a mark stands for each of them, whichever template the
 * text is filled into, and the user's message is split at the marks.
 */

/** Unicode's own character for an object within a text, and which one. */
const OBJECT = '\uFFFC';
const MARK = /\n?\uFFFCmedia (\d+)\uFFFC\n?/u;

/** A question as prompts are filled with it. */
export function markedInput(input: Content): Pick<PromptContext, 'input' | 'media'> {
  if (typeof input === 'string') return { input };
  let media = 0;
  const texts = input.map((part) =>
    part.type === 'text' ? part.text : `${OBJECT}media ${media++}${OBJECT}`,
  );
  return { input: texts.join('\n'), media: mediaOf(input) };
}

/** The prompt with images and files in place of their marks; the same prompt without any. */
export function placeMedia(prompt: ModelPrompt, media: readonly MediaPart[] = []): ModelPrompt {
  if (media.length === 0) return prompt;
  if (prompt.type === 'text') {
    const content = takenApart(prompt.text, media);
    return typeof content === 'string' ? prompt : { type: 'messages', messages: [{ role: 'user', content }] };
  }
  return {
    ...prompt,
    messages: prompt.messages.map((message) =>
      message.role === 'user' && typeof message.content === 'string'
        ? { ...message, content: takenApart(message.content, media) }
        : message,
    ),
  };
}

/** Images and files that an agent takes: in its question, and in the messages before it. */
export interface TakenMedia {
  asked(part: MediaPart): boolean;
  earlier(part: MediaPart): boolean;
}

/** The context with a description in place of each image and file that the agent does not take. */
export function inWords(context: PromptContext, { asked: isTaken, earlier }: TakenMedia): PromptContext {
  const { media = [], chatHistory, input } = context;
  const words = input.replace(new RegExp(MARK, 'gu'), (mark, index: string) => {
    const part = media[Number(index)];
    return part === undefined || isTaken(part) ? mark : mark.replace(MARK, `\n${mediaText(part)}\n`);
  });
  return {
    ...context,
    input: media.every(isTaken) ? input : words.trim(),
    media: media.length === 0 ? undefined : media,
    chatHistory: chatHistory.map((message) => {
      const { content } = message;
      const parts = mediaOf(content);
      const stays = !Array.isArray(content) || (parts.length > 0 && parts.every(earlier));
      return stays ? message : { ...message, content: describedIn(content, earlier) };
    }),
  };
}

function takenApart(text: string, media: readonly MediaPart[]): Content {
  const parts: ContentPart[] = [];
  // Every second piece is the number of a mark.
  text.split(MARK).forEach((piece, place) => {
    if (place % 2 === 0) {
      if (piece.trim() !== '') parts.push({ type: 'text', text: piece });
      return;
    }
    const part = media[Number(piece)];
    if (part !== undefined) parts.push(part);
  });
  return parts.some(({ type }) => type !== 'text') ? parts : text;
}
