import {
  type Content,
  type ContentPart,
  type ImagePart,
  contentText,
  imageText,
  imagesOf,
} from '../values/content.ts';
import type { ModelPrompt, PromptContext } from '../definition/kind.ts';

/**
 * Places the images of a question that a kind knows as a text: a mark stands for each image, whichever template the
 * text is filled into, and the user's message is split at the marks.
 */

/** Unicode's own character for an object within a text, and which one. */
const OBJECT = '\uFFFC';
const MARK = /\n?\uFFFCimage (\d+)\uFFFC\n?/u;

/** A question as prompts are filled with it. */
export function markedInput(input: Content): Pick<PromptContext, 'input' | 'images'> {
  if (typeof input === 'string') return { input };
  let images = 0;
  const texts = input.map((part) =>
    part.type === 'text' ? part.text : `${OBJECT}image ${images++}${OBJECT}`,
  );
  return { input: texts.join('\n'), images: imagesOf(input) };
}

/** The prompt with the images in place of their marks; the same prompt without images. */
export function placeImages(prompt: ModelPrompt, images: readonly ImagePart[] = []): ModelPrompt {
  if (images.length === 0) return prompt;
  if (prompt.type === 'text') {
    const content = takenApart(prompt.text, images);
    return typeof content === 'string' ? prompt : { type: 'messages', messages: [{ role: 'user', content }] };
  }
  return {
    ...prompt,
    messages: prompt.messages.map((message) =>
      message.role === 'user' && typeof message.content === 'string'
        ? { ...message, content: takenApart(message.content, images) }
        : message,
    ),
  };
}

/** The context with a description in place of each image, for a kind that takes no images. */
export function inWords({ images = [], chatHistory, ...context }: PromptContext): PromptContext {
  const words = (text: string) =>
    text.replace(new RegExp(MARK, 'gu'), (mark, index: string) => {
      const image = images[Number(index)];
      return image === undefined ? mark : mark.replace(MARK, `\n${imageText(image)}\n`);
    });
  return {
    ...context,
    input: images.length === 0 ? context.input : words(context.input).trim(),
    chatHistory: chatHistory.map((message) =>
      typeof message.content === 'string' ? message : { ...message, content: contentText(message.content) },
    ),
  };
}

function takenApart(text: string, images: readonly ImagePart[]): Content {
  const parts: ContentPart[] = [];
  // Every second piece is the number of a mark.
  text.split(MARK).forEach((piece, place) => {
    if (place % 2 === 0) {
      if (piece.trim() !== '') parts.push({ type: 'text', text: piece });
      return;
    }
    const image = images[Number(piece)];
    if (image !== undefined) parts.push(image);
  });
  return parts.some(({ type }) => type === 'image') ? parts : text;
}
