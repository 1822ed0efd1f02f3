import type { Heartbeat } from '../calls/heartbeat-record.ts';
import type { LivePiece } from './live-piece.ts';

/** Longest delta. The longest message, encrypted and in base64, fits into a NOTIFY of PostgreSQL: 8,000 bytes. */
export const DELTA_CHARS = 800;

type OfAttempt = Pick<LivePiece, 'runId' | 'call' | 'scheduledAt' | 'attempt'>;

/** Returns a function that gives what is new in an attempt's heartbeat record since the call before. */
export function createPieces(of: OfAttempt): (record: Heartbeat) => LivePiece[] {
  const sent = { restart: 0, text: 0, reasoning: 0, reports: 0 };

  return (record) => {
    const { text = '', reasoning = '', reasoningFrom = 0, progress = '', reports = 0, restart = 0 } = record;
    if (restart !== sent.restart) Object.assign(sent, { restart, text: 0, reasoning: 0 });
    const pieces = [
      ...cut('reasoning', reasoningFrom, reasoning, sent.reasoning),
      ...cut('text', 0, text, sent.text),
      // A longer report comes with the next heartbeat.
      ...(reports > sent.reports && progress !== '' && progress.length <= DELTA_CHARS
        ? [piece('progress', reports, progress)]
        : []),
    ];
    Object.assign(sent, { text: text.length, reasoning: reasoningFrom + reasoning.length, reports });
    return pieces;
  };

  /** The characters after the first `known` ones; `text` has those from `from` on. */
  function cut(kind: 'text' | 'reasoning', from: number, text: string, known: number): LivePiece[] {
    const first = Math.max(from, known);
    const count = Math.ceil((from + text.length - first) / DELTA_CHARS);
    return Array.from({ length: Math.max(0, count) }, (_, index) => {
      const offset = first + index * DELTA_CHARS;
      return piece(kind, offset, text.slice(offset - from, offset - from + DELTA_CHARS));
    });
  }

  function piece(kind: LivePiece['kind'], offset: number, delta: string): LivePiece {
    return { ...of, restart: sent.restart, kind, offset, delta };
  }
}
