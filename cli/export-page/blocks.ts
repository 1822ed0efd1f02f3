import type { Json } from '../../agent/vocabulary.ts';
import { type Html, html } from './html.ts';

/** A longer text is cut on the page: the JSON file has it whole. */
const LONGEST = 50_000;
const PREVIEW = 160;

/** A value of others: text to the letter, anything else as JSON over several lines. */
export function pre(value: Json): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const more = text.length - LONGEST;
  if (more <= 0) return html`<pre>${text}</pre>`;
  const left = more.toLocaleString('en-US');
  return html`<pre>${text.slice(0, LONGEST)}</pre>
    <p class="note">… ${left} more characters: \`reloop export\` without --html has them.</p>`;
}

/** The same for the words of a person or a model, which are to be read as words. */
export function prose(value: Json): Html {
  return html`<div class="prose">${pre(value)}</div>`;
}

export function labelled(label: string, content: Html): Html {
  return html`<div class="block">
    <h4>${label}</h4>
    ${content}
  </div>`;
}

export function folded(label: string, content: Html, of = ''): Html {
  return html`<details class="fold">
    <summary>${label}${of === '' ? '' : html` <span class="dim">${of}</span>`}</summary>
    ${content}
  </details>`;
}

/** What fits on one line of a text. */
export function preview(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text
    .slice(0, 4 * PREVIEW)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= PREVIEW && text.length <= 4 * PREVIEW ? line : `${line.slice(0, PREVIEW)}…`;
}

/** What is there, dots between. */
export function facts(...parts: (string | undefined)[]): Html {
  const said = parts.filter((part) => part !== undefined && part !== '');
  return html`<span class="facts">${said.join(' · ')}</span>`;
}
