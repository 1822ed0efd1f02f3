import type { RunEvent } from '../run/events.ts';
import { type CallsUnderWay, trackCalls } from '../views/view.ts';
import {
  type AttemptTexts,
  type HeartbeatTexts,
  type LiveEvent,
  afterHeartbeat,
  afterPiece,
  newEvents,
} from './attempt-texts.ts';
import type { LivePiece } from './live-piece.ts';

/** The calls of a run under way, and what a reader has of their texts. */
export interface LiveCalls {
  readonly underWay: CallsUnderWay;
  /** Time at which the call under way was scheduled; undefined: it is not under way. */
  scheduledAt(call: string): number | undefined;
  /** Takes the next recorded event. Returns the live events of pieces that came before the call's start was read. */
  recorded(event: RunEvent, runId: string): LiveEvent[];
  /** Takes pieces of the channel; one event has all of a text that is new. */
  pieces(pieces: readonly LivePiece[]): LiveEvent[];
  /** Takes what a heartbeat says of a call's attempt. */
  heartbeat(call: string, beat: HeartbeatTexts): LiveEvent[];
}

/** Most pieces of calls that are kept until their start is read. */
const MOST_EARLY = 400;

/**
 * Merges what heartbeats and the channel say of calls under way. The text of an attempt only grows, a later attempt's replaces it, and
 * nothing comes after the call's recorded end. So pieces may be lost, doubled and reordered.
 */
export function createLiveCalls(): LiveCalls {
  const underWay: CallsUnderWay = new Map();
  const begun = new Map<string, { at: number; runId: string }>();
  const known = new Map<string, AttemptTexts>();
  let early: LivePiece[] = [];

  return {
    underWay,
    scheduledAt: (call) => (underWay.has(call) ? begun.get(call)?.at : undefined),
    recorded,
    pieces,
    heartbeat,
  };

  function recorded(event: RunEvent, runId: string): LiveEvent[] {
    trackCalls(underWay, event);
    for (const call of known.keys()) if (!underWay.has(call)) known.delete(call);
    if (event.type !== 'model_started' && event.type !== 'tool_started') return [];
    const { call, at } = event;
    begun.set(call, { at, runId });
    known.delete(call);
    const kept = early.filter((piece) => piece.call === call);
    early = early.filter((piece) => piece.call !== call);
    return pieces(kept);
  }

  function pieces(list: readonly LivePiece[]): LiveEvent[] {
    const before = new Map(known);
    for (const piece of list) {
      const { call, attempt } = piece;
      if (isOfCall(piece)) setKnown(call, afterPiece(known.get(call), piece));
      else if (attempt === 1 && isEarly(piece)) early = [...early.slice(1 - MOST_EARLY), piece];
    }
    const changed = [...known].filter(([call, texts]) => before.get(call) !== texts);
    return changed.flatMap(([call, texts]) => newEvents(call, before.get(call), texts));
  }

  function heartbeat(call: string, beat: HeartbeatTexts): LiveEvent[] {
    if (!underWay.has(call) || begun.get(call)?.at !== beat.scheduledAt) return [];
    const before = known.get(call);
    const after = afterHeartbeat(before, beat);
    setKnown(call, after);
    return after === undefined ? [] : newEvents(call, before, after);
  }

  function setKnown(call: string, texts: AttemptTexts | undefined): void {
    if (texts !== undefined) known.set(call, texts);
  }

  /** The piece is of the schedule of the call that is under way. */
  function isOfCall({ call, runId, scheduledAt }: LivePiece): boolean {
    const last = begun.get(call);
    return underWay.has(call) && last?.at === scheduledAt && last.runId === runId;
  }

  /** The beginning of the piece's schedule has not been read. Of a schedule that is over, it has. */
  function isEarly({ call, runId, scheduledAt }: LivePiece): boolean {
    const last = begun.get(call);
    return last === undefined || last.runId !== runId || scheduledAt > last.at;
  }
}
