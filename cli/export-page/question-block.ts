import { type Content, type ContentPart, contentText, imageText } from '../../agent/content.ts';
import { type Html, html } from './html.ts';
import { pre, prose } from './blocks.ts';

/** What the page itself has to allow for an image that stands in it. */
export function hasImage(input: Content): boolean {
  return Array.isArray(input) && input.some((part) => sourceOf(part) !== undefined);
}

/** A question: its words, and those of its images that the export has brought along. */
export function questionBlock(input: Content): Html {
  if (!Array.isArray(input)) return prose(input);
  return html`${input.map(partBlock)}`;
}

function partBlock(part: ContentPart): Html {
  const source = sourceOf(part);
  if (source === undefined) return html`<div class="prose">${pre(contentText([part]))}</div>`;
  const alt = part.type === 'image' ? imageText(part) : '';
  return html`<p>
    <img src="${source}" alt="${alt}" title="${alt}" style="max-width: 100%; max-height: 26rem" />
  </p>`;
}

/** What is no image's bytes, whoever wrote the file, is told in words. */
function sourceOf(part: ContentPart): string | undefined {
  if (part.type !== 'image' || part.data === undefined) return undefined;
  const { mediaType = '', data } = part;
  if (!/^image\/(?:png|jpeg|gif|webp)$/u.test(mediaType) || !/^[\w+/]+={0,2}$/u.test(data)) return undefined;
  return `data:${mediaType};base64,${data}`;
}
