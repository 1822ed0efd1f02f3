import { duration } from '../print/display.ts';
import { type Axis, WIDTH } from './axis.ts';
import { type Html, html } from './html.ts';
import type { Span, Turn } from './work.ts';

/** What a lane of the timeline shows. */
export interface Lane {
  name: string;
  style: 'model' | 'tool' | 'wait';
  spans: readonly Span[];
}

const HEIGHT = 10;
/** Nothing that ran is too short to be seen. */
const NARROWEST = 3;

/** What happened in these turns, kind by kind. */
export function lanesOf(turns: readonly Turn[]): Lane[] {
  const works = turns.flatMap((turn) => [turn, ...turn.calls]);
  const ran = (spans: readonly Span[]) => spans.filter(({ type }) => type === 'run');
  return [
    { name: 'Model', style: 'model', spans: turns.flatMap(({ spans }) => ran(spans)) },
    {
      name: 'Tools',
      style: 'tool',
      spans: turns.flatMap(({ calls }) => calls.flatMap(({ spans }) => ran(spans))),
    },
    {
      name: 'Waiting for a person',
      style: 'wait',
      spans: works.flatMap(({ spans }) => spans.filter(({ type }) => type === 'wait')),
    },
  ];
}

/** All of a turn on one line. `end`: of what is still open. */
export function turnBar(turn: Turn, axis: Axis, end: number): Html {
  const lanes = lanesOf([turn]).filter(({ spans }) => spans.length > 0);
  const title = lanes.map(({ name, spans }) => `${name}: ${duration(lasting(spans, end))}`).join(', ');
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img">
    <title>${title}</title>
    ${lanes.map((lane) => path(lane, axis, end))}
  </svg>`;
}

/** The timeline of a whole run: a lane for each kind, one under the other. */
export function timeline(turns: readonly Turn[], axis: Axis, end: number): Html {
  return html`<div class="lanes">
    ${lanesOf(turns)
      .filter(({ spans }) => spans.length > 0)
      .map(
        (lane) =>
          html`<span class="lane">${lane.name} <b>${duration(lasting(lane.spans, end))}</b></span
            ><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
              ${gaps(axis)}${path(lane, axis, end)}
            </svg> `,
      )}
  </div>`;
}

/** One path per kind, however many bars: a page of a thousand steps stays light. */
function path({ style, spans }: Lane, axis: Axis, end: number): Html {
  const bars = spans.map(({ from, to = end }) => {
    const left = Math.min(axis.place(from), WIDTH - NARROWEST);
    const width = Math.max(NARROWEST, axis.place(to) - left);
    return `M${round(left)} 0h${round(width)}v${HEIGHT}h-${round(width)}z`;
  });
  return html`<path class="${style}" d="${bars.join('')}" />`;
}

function gaps(axis: Axis): Html {
  const marks = axis.gaps.map(({ from, to }) => {
    const left = round(axis.place(from));
    return `M${left} 0h${round(axis.place(to) - left)}v${HEIGHT}H${left}z`;
  });
  return html`<path class="gap" d="${marks.join('')}" />`;
}

/** Side by side counts once. */
function lasting(spans: readonly Span[], end: number): number {
  let [total, until] = [0, 0];
  for (const { from, to = end } of [...spans].sort((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return total;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
