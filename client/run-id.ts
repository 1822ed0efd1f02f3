import { randomUUID } from 'node:crypto';
import { isId, sessionId } from '../agent/session/session.ts';
import { backtestId } from '../workflows/messages.ts';
import { InvalidInput } from './errors.ts';

/** The id of a run that is given none. */
export function newRunId(agent: string): string {
  return `${agent}-${randomUUID().slice(0, 8)}`;
}

/** Throws InvalidInput. */
export function checkId(id: string): void {
  if (isId(id, 900) && id.startsWith(sessionId(''))) {
    throw new InvalidInput(
      `"${id}" is what the session of that name is called: a run's id does not begin with ${sessionId('')}.`,
    );
  }
  if (isId(id, 900) && id.startsWith(backtestId(''))) {
    throw new InvalidInput(
      `"${id}" is what backtests and their runs are called: a run's id does not begin with ${backtestId('')}.`,
    );
  }
  if (isId(id, 900)) return;
  throw new InvalidInput('The id of a run is a text of 1 to 900 characters without control characters.');
}
