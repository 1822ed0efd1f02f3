import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { RunReport } from '../../client/index.ts';
import { type Speak, type Word, operate, speaker } from './operator.ts';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

/** Virtual time after which a run counts as stuck. */
export const MOST_MS = 15 * 60_000;
const MOST_LIVES = 3;

/** A run from a start to an end, as everybody saw it. */
export interface RunLife {
  id: string;
  /** Begun by a rewind, a retry, or a fork of an ended run. */
  isAgain: boolean;
  report: RunReport;
  /** From history, in order. */
  events: RunEvent[];
  /** undefined: the run is stuck. */
  end: string | undefined;
}

/** A run with its operators, from its start to its end; then, perhaps, from a step on once more. */
export async function playRun(
  client: AgentClient,
  first: string,
  random: Random,
  words: Word[],
): Promise<RunLife[]> {
  await client.start('top', `question ${first}`, { id: first });
  const lives: RunLife[] = [];
  for (let id: string | undefined = first; id !== undefined;) {
    const life = await live(client, id, random, words);
    lives.push({ ...life, isAgain: lives.length > 0 });
    const isLast = life.end === undefined || lives.length === MOST_LIVES || random.chance(0.5);
    id = isLast ? undefined : await again(client, life, random, speaker(id, words));
  }
  return lives;
}

async function live(
  client: AgentClient,
  id: string,
  random: Random,
  words: Word[],
): Promise<Omit<RunLife, 'isAgain'>> {
  const run = client.get(id);
  const over = new AbortController();
  const operators = Array.from({ length: random.int(1, 2) }, () =>
    operate(run, random.fork(), speaker(id, words), over.signal),
  );
  const end = await Promise.race([
    run.result().then(
      ({ output }) => `answered: ${JSON.stringify(output).slice(0, 100)}`,
      (error: Error) => `ended: ${error.name}: ${error.message}`,
    ),
    sleep(MOST_MS).then(() => undefined),
    // An operator ends before the run only by an error.
    Promise.all(operators).then(() => new Promise<never>(() => undefined)),
  ]);
  over.abort();
  const events: RunEvent[] = [];
  const report = await run.describe((event) => events.push(event));
  return { id, report, events, end };
}

/** Begins an ended run again; resolves to the id of the run that goes on, or undefined if the word was refused. */
async function again(
  client: AgentClient,
  { id, report }: Omit<RunLife, 'isAgain'>,
  random: Random,
  speak: Speak,
): Promise<string | undefined> {
  const run = client.get(id);
  const step = random.int(1, Math.max(1, report.iterations));
  const type = random.of(['retry', 'rewind', 'fork'] as const);
  const forked = `${id}-fork`;
  const sent = await speak({ type: `${type} of the ended run`, data: { step } }, () => {
    if (type === 'retry') return run.retry();
    return type === 'rewind' ? run.rewind({ step }) : run.fork({ step, id: forked });
  });
  if (!sent) return undefined;
  return type === 'fork' ? forked : id;
}
