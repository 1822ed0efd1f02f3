import { contentText } from '../../agent/values/content.ts';
import { speakers } from '../../agent/session/session.ts';
import type { SessionReport, SessionSummary } from '../../client/api/agent-session.ts';
import { SessionNotFound } from '../../client/connect/errors.ts';
import { locationOfSession } from '../../client/read/run-location.ts';
import { costWords, tokenWords } from '../../features/render/words/usage-words.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { colorsFor, localTime, localZone, table } from '../shell/display.ts';
import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';
import { type Io, exitCodes, print, printColored, printJson, say } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';
import { attended, serve } from '../connection/command-worker.ts';
import { neverStarted, withTemporal } from '../connection/context.ts';
import { cliName } from '../../client/connect/cli-name.ts';

/** `reloop session list`: the conversations there are, latest first. */
export async function listSessions(
  io: Io,
  { limit, ...options }: CommonOptions & { limit: number },
): Promise<number> {
  const sessions: SessionSummary[] = [];
  if (!(await neverStarted(options))) {
    await withTemporal(io, options, async ({ client }) => {
      for await (const session of client.sessions(limit)) sessions.push(session);
    });
  }
  if (options.json === true) printJson(io, sessions);
  else if (sessions.length === 0)
    say(io, `There are no sessions yet: ${cliName()} run AGENT "question" --session NAME`);
  else {
    const rows = sessions.map(({ name, startedAt }) => [oneLine(name), localTime(startedAt)]);
    for (const line of table([['NAME', `STARTED (${localZone()})`], ...rows], io.stdout.columns))
      print(io, line);
  }
  return exitCodes.answered;
}

/** `reloop session show`: a conversation as history has it. */
export async function showSession(io: Io, name: string, options: CommonOptions): Promise<number> {
  await mustHaveStarted(options, name);
  const report = await withTemporal(io, options, ({ client }) => client.session(name).describe());
  if (options.json === true) printJson(io, report);
  else for (const line of lines(io, report)) printColored(io, line);
  return exitCodes.answered;
}

/** `reloop session clear`: the conversation is forgotten; its runs stay. Takes a worker, if need be this process. */
export async function clearSession(io: Io, name: string, options: CommonOptions): Promise<number> {
  await mustHaveStarted(options, name);
  await withTemporal(io, options, async (context) => {
    const session = context.client.session(name);
    const place = () => locationOfSession(context.client.temporal, name);
    await serve(context, await place(), options);
    await attended(context, place, () => session.clear());
  });
  if (options.json === true) printJson(io, { name, cleared: true });
  else say(io, `Session ${name} is cleared.`);
  return exitCodes.answered;
}

/** A project that never had a server has no session: do not start a server to find that out. */
async function mustHaveStarted(options: CommonOptions, name: string): Promise<void> {
  if (await neverStarted(options)) throw new SessionNotFound(name);
}

function lines(
  { stdout, env }: Io,
  { messages, runs, running, queued, unanswered, notesUsage }: SessionReport,
): string[] {
  const colors = colorsFor(stdout, env);
  return [
    ...messages.map(
      ({ role, content }) => `${colors.bold(speakers[role])}: ${sanitizeForTerminal(contentText(content))}`,
    ),
    `${count(runs.length, 'run')}${runs.length === 0 ? '' : `, the last is ${oneLine(String(runs.at(-1)))}`}`,
    ...(unanswered.length === 0
      ? []
      : [`without an answer: ${oneLine(unanswered.join(', '))} (again: ${cliName()} retry RUN)`]),
    ...(notesUsage === undefined
      ? []
      : [
          `notes: ${[count(notesUsage.modelCalls, 'model call'), tokenWords(notesUsage), ...costWords(notesUsage)].join(' · ')}`,
        ]),
    ...(running === null ? [] : [`running: ${oneLine(running)}`]),
    ...(queued.length === 0 ? [] : [`waiting for their turn: ${oneLine(queued.join(', '))}`]),
  ];
}
