import type { Park } from '../../agent/events.ts';
import { oneLine, shellWord } from './display.ts';
import { waitingWord } from './trace-words.ts';

/** What a worker's log says of a call that begins to wait: `run X waits for you: create_invoice (3.1) failed: …; reloop retry X`. */
export function waitingLine(runId: string, { call, tool, reason, error }: Park): string {
  const why = error === undefined ? '' : `: ${error.message}`;
  return oneLine(
    `run ${runId} waits for you: ${tool} (${call}) ${waitingWord(reason)}${why}; reloop retry ${shellWord(runId)}`,
  );
}
