import { setTimeout as sleep } from 'node:timers/promises';
import { RunView } from '../../agent/views/view.ts';
import { needsPerson } from '../../agent/rules/waiting.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { SessionNotFound, unless } from '../../client/connect/errors.ts';
import { type RunReport, reportOf } from '../../client/report.ts';
import { typedCommand } from '../../client/connect/cli-name.ts';
import type { QueuedQuestion, SessionQuestion } from '../connection/ask-in-session.ts';
import type { CliContext } from '../connection/context.ts';
import { lastingWebUi } from '../connection/web-ui.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { waitingText } from '../print/trace/trace-words.ts';
import { type HelpOptions, waitingHelp } from './waiting-help.ts';

/** Interval of reading the session while no run can be followed. */
const LOOK_MS = 500;

type SessionReader = Pick<AgentClient, 'session' | 'get'>;

/**
 * Waits for a run before the question that waits for a person, for `--no-wait` in a session. `flags`: options for
 * commands on that run.
 */
export function untilHeldUp(
  { client, namespace, embedded }: Pick<CliContext, 'client' | 'namespace' | 'embedded'>,
  flags: readonly string[],
): NonNullable<SessionQuestion['heldUp']> {
  return async (question, signal) => {
    const before = await waitingRunBefore(client, question, signal);
    return before && runBeforeLines(before, { flags, namespace, uiUrl: lastingWebUi(embedded) });
  };
}

/**
 * Waits until question `id` is in the queue and the run before it waits for a person or is paused; resolves with that run.
 * Undefined after `signal`.
 */
async function waitingRunBefore(
  client: SessionReader,
  { session, id }: QueuedQuestion,
  signal: AbortSignal,
): Promise<RunReport | undefined> {
  while (!signal.aborted) {
    const before = await runBefore(client, session, id);
    const waiting = before === undefined ? undefined : await untilItWaits(client.get(before), signal);
    if (waiting !== undefined) return waiting;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** Undefined until a worker has put the question into the queue, and when its turn has come. */
async function runBefore(client: SessionReader, session: string, id: string): Promise<string | undefined> {
  const report = await unless(SessionNotFound, client.session(session).describe());
  return report?.queued.includes(id) === true ? (report.running ?? undefined) : undefined;
}

/** Undefined for a run that ends first. */
async function untilItWaits(
  run: Pick<AgentRun, 'id' | 'events'>,
  signal: AbortSignal,
): Promise<RunReport | undefined> {
  const view = new RunView(run.id);
  for await (const event of run.events({ signal })) {
    view.add(event);
    if (view.isCaughtUp && (view.status === 'paused' || view.status === 'waiting')) return reportOf(view);
  }
  return undefined;
}

/** Lines with the run that holds up a session, its wait, and the commands. */
function runBeforeLines(
  { id, runId, status, waiting }: RunReport,
  options: Omit<HelpOptions, 'id' | 'runId'>,
): string[] {
  if (status === 'paused') {
    const resume = typedCommand('resume', [id], [...options.flags]);
    return [`Run ${oneLine(id)} comes first and is paused: \`${resume}\``];
  }
  const calls = waiting.filter(needsPerson);
  return [
    `Run ${oneLine(id)} comes first and waits for a person:`,
    ...calls.flatMap((call) => [
      `    ${waitingText(call, false)}`,
      ...waitingHelp(call, waiting, { id, runId, ...options }),
    ]),
  ];
}
