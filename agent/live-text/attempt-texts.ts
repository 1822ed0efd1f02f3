import type { TimelessEvent } from '../run/events.ts';
import { limits } from '../values/limits.ts';
import type { LivePiece, TextPlace } from './live-piece.ts';
import { type Stretch, emptyStretch, withPiece, withState } from './stretch.ts';

export type LiveEvent = Extract<TimelessEvent, { type: 'model_text' | 'model_reasoning' | 'tool_progress' }>;

/** The texts of the latest attempt of a call, as far as a reader knows them. */
export interface AttemptTexts {
  place: TextPlace;
  text: Stretch;
  reasoning: Stretch;
  /** `number`: of the report, from 1. */
  progress: { number: number; text: string };
}

/** The texts of an attempt, as a heartbeat has them. */
export interface HeartbeatTexts extends TextPlace {
  text: string;
  /** The end of the reasoning, and the characters before it. */
  reasoning: string;
  reasoningFrom: number;
  progress: string;
  /** Reports of progress so far; undefined: a worker that does not count them. */
  reports: number | undefined;
}

/** The texts after a piece. An earlier attempt's piece changes nothing. */
export function afterPiece(known: AttemptTexts | undefined, piece: LivePiece): AttemptTexts | undefined {
  const texts = textsAt(known, piece);
  if (texts === undefined) return known;
  const { kind, offset, delta } = piece;
  switch (kind) {
    case 'text':
      return { ...texts, text: withPiece(texts.text, offset, delta, Infinity) };
    case 'reasoning':
      return { ...texts, reasoning: withPiece(texts.reasoning, offset, delta, limits.shownReasoningChars) };
    case 'progress':
      return offset > texts.progress.number ? { ...texts, progress: { number: offset, text: delta } } : texts;
  }
}

/** The texts after a heartbeat. An earlier attempt's heartbeat changes nothing. */
export function afterHeartbeat(
  known: AttemptTexts | undefined,
  beat: HeartbeatTexts,
): AttemptTexts | undefined {
  const texts = textsAt(known, beat);
  if (texts === undefined) return known;
  const { reasoning, reasoningFrom, progress, reports = texts.progress.number + 1 } = beat;
  return {
    place: texts.place,
    text: withState(texts.text, 0, beat.text, Infinity),
    reasoning: withState(texts.reasoning, reasoningFrom, reasoning, limits.shownReasoningChars),
    progress:
      progress !== '' && reports > texts.progress.number && progress !== texts.progress.text
        ? { number: reports, text: progress }
        : texts.progress,
  };
}

/** The events for what is new between two states of a call's texts. */
export function newEvents(call: string, before: AttemptTexts | undefined, after: AttemptTexts): LiveEvent[] {
  const { attempt } = after.place;
  const isSame = before !== undefined && comparePlaces(before.place, after.place) === 0;
  const grown = (kind: 'text' | 'reasoning') =>
    after[kind].text !== '' && (!isSame || before[kind].text !== after[kind].text);
  const reported =
    after.progress.text !== '' && (!isSame || before.progress.number !== after.progress.number);
  const base = { call, attempt };
  return [
    ...(grown('reasoning')
      ? [{ type: 'model_reasoning' as const, ...base, text: after.reasoning.text }]
      : []),
    ...(grown('text') ? [{ type: 'model_text' as const, ...base, text: after.text.text }] : []),
    ...(reported ? [{ type: 'tool_progress' as const, ...base, text: after.progress.text }] : []),
  ];
}

/** Negative: `a` comes before `b`. */
function comparePlaces(a: TextPlace, b: TextPlace): number {
  return a.scheduledAt - b.scheduledAt || a.attempt - b.attempt || a.restart - b.restart;
}

/** The known texts, or empty ones for a later place; undefined: the place has been passed. */
function textsAt(known: AttemptTexts | undefined, { scheduledAt, attempt, restart }: TextPlace) {
  const place = { scheduledAt, attempt, restart };
  const order = known === undefined ? 1 : comparePlaces(place, known.place);
  if (order < 0) return undefined;
  if (order === 0) return known;
  return { place, text: emptyStretch, reasoning: emptyStretch, progress: { number: 0, text: '' } };
}
