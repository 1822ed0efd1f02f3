import { type Axis, WIDTH } from './axis.ts';
import { type Html, html } from './html.ts';
import { type Interval, lasting, running, waiting } from './spans.ts';
import { lasted } from './words.ts';
import type { ShownTurn } from '../../../agent/views/run-turns.ts';

/** One kind of event, on a separate line or as a colour of one. */
interface Lane {
  name: string;
  style: 'model' | 'tool' | 'wait';
  times: Interval[];
}

const HEIGHT = 10;
/** Minimum width of a bar, unless the bars would then merge. */
const NARROWEST = 3;

/** All of a turn on one line. `end`: end of open spans. */
export function turnBar(turn: ShownTurn, axis: Axis, end: number): Html {
  const lanes = lanesOf([turn], end);
  const title = lanes.map(({ name, times }) => `${name}: ${lasted(lasting(times))}`).join(', ');
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img">
    <title>${title}</title>
    ${lanes.map((lane) => path(lane.style, lane.times, axis))}
  </svg>`;
}

/** The timeline of a whole run: a lane for each kind, one under the other. */
export function timeline(turns: readonly ShownTurn[], axis: Axis, end: number): Html {
  const lanes = lanesOf(turns, end).map(
    ({ name, style, times }) =>
      html`<span class="lane">${name} <b>${lasted(lasting(times))}</b></span>
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          ${path('gap', axis.gaps, axis)}${path(style, times, axis)}
        </svg>`,
  );
  return html`<div class="lanes">${lanes}</div>`;
}

function lanesOf(turns: readonly ShownTurn[], end: number): Lane[] {
  const calls = turns.flatMap((turn) => turn.calls);
  const ran = turns.flatMap((turn) => running(turn, end));
  const tools = calls.flatMap((call) => running(call, end));
  const waits = [...turns, ...calls].flatMap((work) => waiting(work, end));
  const lanes: Lane[] = [
    { name: 'Model', style: 'model', times: ran },
    { name: 'Tools', style: 'tool', times: tools },
    { name: 'Waiting for a person', style: 'wait', times: waits },
  ];
  return lanes.filter(({ times }) => times.length > 0);
}

/** One path for all bars of a kind: a page of a thousand steps stays light. */
function path(style: Lane['style'] | 'gap', times: readonly Interval[], axis: Axis): Html {
  const narrowest = Math.min(NARROWEST, WIDTH / 4 / times.length);
  const bars = times.map(({ from, to }) => {
    const left = Math.min(axis.place(from), WIDTH - narrowest);
    const width = Math.max(narrowest, axis.place(to) - left);
    return `M${round(left)} 0h${round(width)}v${HEIGHT}h-${round(width)}z`;
  });
  return html`<path class="${style}" d="${bars.join('')}" />`;
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
