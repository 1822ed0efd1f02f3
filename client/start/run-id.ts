import { randomUUID } from 'node:crypto';
import { isName, sessionId } from '../../agent/session/session.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { backtestId } from '../../workflows/messages.ts';
import { InvalidInput } from '../connect/errors.ts';

/** Makes an id for a run that is given none: the name of the agent and eight digits. */
export function newRunId(agent: string): string {
  return `${agent}-${randomUUID().slice(0, 8)}`;
}

/** Temporal takes 1,000 bytes; the ids of sub-agents' runs are longer than this by their calls. */
const LONGEST_BYTES = 900;

/** Throws InvalidInput. */
export function checkId(id: string): void {
  if (!isName(id)) throw new InvalidInput('The id of a run is a text without control characters.');
  const bytes = utf8Length(id);
  if (bytes > LONGEST_BYTES) {
    throw new InvalidInput(
      `The id of a run takes ${bytes} bytes; at most ${LONGEST_BYTES} fit. Most characters beyond ASCII take 2 to 4.`,
    );
  }
  if (id.startsWith(sessionId(''))) {
    throw new InvalidInput(
      `"${id}" is what the session of that name is called: a run's id does not start with ${sessionId('')}.`,
    );
  }
  if (id.startsWith(backtestId(''))) {
    throw new InvalidInput(
      `"${id}" is what backtests and their runs are called: a run's id does not start with ${backtestId('')}.`,
    );
  }
}
