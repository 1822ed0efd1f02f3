import { setCurrentDetails } from '@temporalio/workflow';
import type { SessionMessage, SessionState } from '../agent/session/session.ts';
import { boundedText } from '../agent/values.ts';

/** Messages of the conversation that the Web UI shows. */
const SHOWN = 6;
const SHOWN_CHARS = 500;

/** The end of the conversation and what the session is at, for the Web UI: a query, so nothing is recorded for it. */
export function showConversation(
  { messages, queue }: SessionState,
  open: Pick<SessionMessage, 'id'> | undefined,
): void {
  const speaker = { user: 'You', assistant: 'Agent', system: 'Notes', tool: 'Tool' } as const;
  const said = messages
    .slice(-SHOWN)
    .map(({ role, content }) => `**${speaker[role]}**: ${boundedText(content ?? '', SHOWN_CHARS)}`);
  const running = open === undefined ? 'No run is under way.' : `Run \`${open.id}\` is under way.`;
  const queued = queue.length === 0 ? '' : ` ${queue.length} wait for their turn.`;
  setCurrentDetails([...said, running + queued].join('\n\n'));
}
