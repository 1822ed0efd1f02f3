import { sanitizeForTerminal } from '../../../agent/text/sanitize.ts';

/** Markup that is ours. The key is a symbol, which nothing that was ever JSON can have. */
export interface Html {
  readonly [markup]: string;
}

const markup = Symbol('markup');

type Part = Html | readonly Html[] | string | number | undefined;

/** Markup with values in it: whatever is not markup itself is text, and is escaped. Indentation is for readers of the source. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = texts.map((text, index) => text.replace(/\n\s+/gu, '\n') + written(parts[index]));
  return { [markup]: pieces.join('') };
}

/** Text that is ours to the letter, such as a style sheet. */
export function verbatim(text: string): Html {
  return { [markup]: text };
}

export function toString(part: Html): string {
  return part[markup];
}

const entities: { [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function written(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escaped(part);
  if (Array.isArray(part)) return part.map(written).join('');
  if (typeof part === 'object' && markup in part) return part[markup];
  return escaped(JSON.stringify(part)); // a recorded value that is not of the type it should have
}

function escaped(text: string): string {
  return sanitizeForTerminal(text).replace(/[&<>"']/gu, (character) => entities[character] ?? '');
}
