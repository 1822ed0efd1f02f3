import { type Content, type ContentPart, contentText, mediaText } from '../../../agent/values/content.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { type Html, html } from './html.ts';

/** A longer text is cut on the page: the JSON file has it whole. */
const LONGEST = 50_000;
const PREVIEW = 160;

/** A value of others: text to the letter, anything else as JSON over several lines. */
export function pre(value: Json): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const more = text.length - LONGEST;
  if (more <= 0) return isTall(text) ? html`<pre tabindex="0">${text}</pre>` : html`<pre>${text}</pre>`;
  const left = more.toLocaleString('en-US');
  return html`<pre tabindex="0">${text.slice(0, LONGEST)}</pre>
    <p class="note">… ${left} more characters: \`reloop export\` without --html has them.</p>`;
}

/** True for a text that scrolls, on a phone too. The keyboard has to reach such a text. */
function isTall(text: string): boolean {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, line.length / 40), 0);
  return lines > 18;
}

/** The same for the text of a person or a model, shown as text. */
export function prose(value: Json): Html {
  return html`<div class="prose">${pre(value)}</div>`;
}

export function labelled(label: string, content: Html): Html {
  return html`<div class="block">
    <p class="label">${label}</p>
    ${content}
  </div>`;
}

export function folded(label: string, content: Html, of = ''): Html {
  return html`<details class="fold">
    <summary>${label}${of === '' ? '' : html` <span class="dim">${of}</span>`}</summary>
    ${content}
  </details>`;
}

/** The first line of a text, as far as it fits. */
export function preview(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text
    .slice(0, 4 * PREVIEW)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= PREVIEW && text.length <= 4 * PREVIEW ? line : `${line.slice(0, PREVIEW)}…`;
}

/** The given parts, with dots between them. */
export function facts(...parts: (string | undefined)[]): Html {
  const said = parts.filter((part) => part !== undefined && part !== '');
  return html`<span class="facts">${said.join(' · ')}</span>`;
}

/** True if the page has to allow images. */
export function hasImage(input: Content): boolean {
  return Array.isArray(input) && input.some((part) => sourceOf(part) !== undefined);
}

/** A question: its text, and the images in the export. */
export function questionBlock(input: Content): Html {
  if (!Array.isArray(input)) return prose(input);
  return html`${input.map(partBlock)}`;
}

function partBlock(part: ContentPart): Html {
  const source = sourceOf(part);
  if (source === undefined) return html`<div class="prose">${pre(contentText([part]))}</div>`;
  const alt = part.type === 'image' ? mediaText(part) : '';
  return html`<p>
    <img src="${source}" alt="${alt}" title="${alt}" class="picture" />
  </p>`;
}

/** Returns a text for data that is not an image's bytes: any program may have written the file. */
function sourceOf(part: ContentPart): string | undefined {
  if (part.type !== 'image' || part.data === undefined) return undefined;
  const { mediaType = '', data } = part;
  if (!/^image\/(?:png|jpeg|gif|webp)$/u.test(mediaType) || !/^[\w+/]+={0,2}$/u.test(data)) return undefined;
  return `data:${mediaType};base64,${data}`;
}
