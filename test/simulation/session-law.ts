import type { Law } from './laws.ts';
import type { SessionLife } from './session-lives.ts';
import type { VirtualServer } from './server.ts';

/** The runs of a session answer one after the other, and the session keeps each answer once. */
export const sessionsAnswer: Law = ({ server, sessions }) =>
  sessions.flatMap((session) =>
    session.isSettled
      ? [...oneAtATime(server, session), ...answersKept(server, session)]
      : [`session ${session.name} waits for runs that are over`],
  );

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

function answersKept(server: VirtualServer, { name, lives, report }: SessionLife): string[] {
  const said = report.messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`,
  );
  return lives.flatMap(({ id, end = '' }) => {
    const times = said.filter((one) => one === `user: message ${id}`).length;
    // Somebody whose word was long on its way may have rewound the run after its end.
    const isAnswered = server.executions.some((one) => one.id === id && one.end?.type === 'completed');
    if (times === (isAnswered ? 1 : 0)) return [];
    return [`session ${name} has the message of ${id} ${times} times (${end})`];
  });
}
