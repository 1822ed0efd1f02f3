import { AGENT_SESSION } from '../../workflows/messages.ts';
import type { Law } from './laws.ts';
import type { SessionLife } from './session-lives.ts';
import type { VirtualServer } from './server.ts';

/** The runs of a session answer one after the other, and the session keeps each answer once. */
export const sessionsAnswer: Law = ({ server, sessions }) =>
  sessions.flatMap((session) =>
    session.isSettled
      ? [
          ...oneAtATime(server, session),
          ...answersKept(server, session),
          ...clearsOnce(server, session),
          ...inOrder(server, session),
        ]
      : [`session ${session.name} waits for runs that are over`],
  );

/** A `clear` ends one conversation, however often its request was sent. */
function clearsOnce({ executions }: VirtualServer, { name, clears }: SessionLife): string[] {
  const ended = executions.filter(
    ({ request, end }) => request.type === AGENT_SESSION && end?.type === 'completed',
  ).length;
  const said = clears.filter(({ outcome }) => outcome !== 'refused').length;
  return ended > said ? [`session ${name} ended ${ended} times, and was cleared ${said} times`] : [];
}

/** The messages of each sender are answered in the order in which they were sent, and each answer follows its question. */
function inOrder(server: VirtualServer, { name, lives, report }: SessionLife): string[] {
  const begun = lives
    .filter(({ isAgain }) => !isAgain)
    .map(({ id }) => ({ id, at: beginOf(server, id) }))
    .toSorted((a, b) => a.at - b.at);
  const misplaced = begun.filter(({ id }, place) =>
    begun.slice(0, place).some((earlier) => isSentBefore(id, earlier.id)),
  );
  const roles = report.messages.map(({ role }) => role).filter((role) => role !== 'system');
  const isPaired = roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
  return [
    ...misplaced.map(({ id }) => `session ${name}: ${id} was sent before others, and began after them`),
    ...(isPaired ? [] : [`session ${name} has messages of ${roles.join(', ')}`]),
  ];
}

/** The time at which the first execution of a run began. */
function beginOf({ executions }: VirtualServer, id: string): number {
  return executions.find((one) => one.id === id)?.startedAt ?? 0;
}

/** Compares two messages of one sender, whose numbers count down. */
function isSentBefore(id: string, other: string): boolean {
  const [, sender, at] = /^(.*)-(\d+)$/u.exec(id) ?? [];
  const [, otherSender, otherAt] = /^(.*)-(\d+)$/u.exec(other) ?? [];
  return sender === otherSender && Number(at) > Number(otherAt);
}

function oneAtATime(server: VirtualServer, { name, lives }: SessionLife): string[] {
  const spans = lives
    // A retry runs beside the session.
    .filter(({ isAgain }) => !isAgain)
    .map(({ id }) => {
      const executions = server.executions.filter((one) => one.id === id);
      const [first] = executions;
      // A rewind of an ended run begins another chain, beside the session.
      const last = executions.findLast(({ firstRunId }) => firstRunId === first?.runId);
      return { id, from: first?.startedAt ?? 0, to: last?.closedAt ?? Infinity };
    })
    .toSorted((a, b) => a.from - b.from);
  return spans.flatMap(({ id, to }, at) => {
    const next = spans[at + 1];
    return next !== undefined && next.from < to
      ? [`session ${name}: ${next.id} began before ${id} was over`]
      : [];
  });
}

function answersKept(server: VirtualServer, { name, lives, report, clears }: SessionLife): string[] {
  const clearedAt = Math.max(
    0,
    ...clears.flatMap(({ outcome, answeredAt = Infinity }) => (outcome === 'refused' ? [] : [answeredAt])),
  );
  // A summary stands for older messages.
  const isShort = clearedAt > 0 || report.messages[0]?.role === 'system';
  const said = report.messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`,
  );
  return lives.flatMap(({ id, end = '' }) => {
    const times = said.filter((one) => one === `user: message ${id}`).length;
    // Somebody whose word was long on its way may have rewound the run after its end.
    const isAnswered = server.executions.some((one) => one.id === id && one.end?.type === 'completed');
    const began = beginOf(server, id);
    const least = isAnswered && (!isShort || (clearedAt > 0 && began > clearedAt)) ? 1 : 0;
    if (least <= times && times <= (isAnswered ? 1 : 0)) return [];
    return [`session ${name} has the message of ${id} ${times} times (${end})`];
  });
}
