import { restartText, steeringText, unheardText } from '../print/trace-words.ts';
import { prose } from './blocks.ts';
import { type Html, html } from './html.ts';
import { utcTime } from './words.ts';
import type { RunNote } from './work.ts';

/** What people said or did to a run as a whole, between its steps. */
export function runNote({ event }: RunNote): Html {
  return html`<div class="told"><time>${utcTime(event.at)}</time> ${told(event)}</div>`;
}

function told(event: RunNote['event']): Html {
  switch (event.type) {
    case 'steered':
      return event.message.type === 'say'
        ? html`<b>Message</b> ${prose(event.message.text)}`
        : html`<b>${steeringText(event.message)}</b>`;
    case 'unheard':
      return html`<b>${unheardText(event.messages)}</b> ${event.messages.map(prose)}`;
    case 'restarted':
      return html`<b>${restartText(event)}</b>`;
  }
}
