import type { AgentSession, SessionReport } from '../../client/api/agent-session.ts';
import { RunNotFound, SessionNotFound, unless } from '../../client/connect/errors.ts';
import { type Speak, type Word, speaker } from './operator.ts';
import type { Random } from './random.ts';
import { starter } from './brought-tools.ts';
import { MOST_MS, type RunLife, type Stage, live } from './run-lives.ts';
import { isCalm, sleep } from './virtual-time.ts';

const POLL_MS = 1000;

/** A session with its runs, in the order in which they were begun. */
export interface SessionLife {
  name: string;
  lives: RunLife[];
  report: SessionReport;
  /** Words that clear the conversation. */
  clears: Word[];
  /** All its runs are over, and the session knows. */
  isSettled: boolean;
}

/** A session in which one or two people say something, whether or not they have heard an answer. */
export async function playSession(stage: Stage, name: string, random: Random): Promise<SessionLife> {
  const { client, profile } = stage;
  const until = Date.now() + MOST_MS;
  const over = new AbortController();
  const clears: Word[] = [];
  // An error is thrown where the senders are awaited.
  const clearing =
    profile.clears === true
      ? clearOften(client.session(name), random.fork(), speaker(name, clears), over.signal)
      : Promise.resolve();
  clearing.catch(() => undefined);
  const lives: Promise<RunLife>[] = [];
  const senders = Array.from({ length: random.int(1, 2) }, async (_, sender) => {
    const own = random.fork();
    for (let at = own.int(1, 3); at > 0; at--) {
      const id = `${name}-${sender}-${at}`;
      const [detach, choices, isPatient] = [own.chance(0.3), own.fork(), own.chance(0.6)];
      if (!own.may('message')) continue;
      const { client: owner, brought } = starter(stage);
      await owner.start('top', `message ${id}`, { session: name, id, detach, ...brought });
      const life = lifeOf(stage, name, id, choices);
      // The error is thrown where all lives are awaited, or here.
      life.catch(() => undefined);
      lives.push(life);
      if (isPatient) await life;
    }
  });
  await Promise.all(senders);
  const ended = await Promise.all(lives);
  over.abort();
  await clearing;
  const session = client.session(name);
  for (;;) {
    const report = await described(session);
    const isSettled = report.running === null && report.queued.length === 0;
    if (!isSettled && Date.now() < until) await sleep(POLL_MS);
    else return { name, lives: ended, report, clears, isSettled };
  }
}

/** The state of a session. A session that somebody has cleared is gone: it has no messages. */
async function described(session: AgentSession): Promise<SessionReport> {
  const report = await unless(SessionNotFound, session.describe());
  const none = { messages: [], runs: [], running: null, queued: [], unanswered: [] };
  return report ?? { name: session.name, ...none };
}

/** Clears the conversation now and then, mostly when nobody expects it. */
async function clearOften(
  session: AgentSession,
  random: Random,
  speak: Speak,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted && !isCalm()) {
    await sleep(random.int(0, 4000));
    if (over.aborted || !random.may('clear')) continue;
    await speak({ type: 'clear' }, () => session.clear());
  }
}

async function lifeOf(stage: Stage, name: string, id: string, random: Random): Promise<RunLife> {
  const { client, words } = stage;
  const session = client.session(name);
  for (const until = Date.now() + MOST_MS; Date.now() < until; await sleep(POLL_MS)) {
    const { runs } = await described(session);
    if (runs.includes(id)) break;
    // A session that was cleared has forgotten its runs.
    if (stage.profile.clears === true && (await unless(RunNotFound, client.get(id).describe()))) break;
  }
  const life = await live(stage, id, random);
  const isRetried =
    life.end !== undefined &&
    !life.end.startsWith('answered') &&
    random.chance(0.5) &&
    random.may('restart') &&
    (await speaker(id, words)({ type: 'retry of the ended run' }, () => client.get(id).retry()));
  return isRetried ? { ...(await live(stage, id, random)), isAgain: true } : { ...life, isAgain: false };
}
