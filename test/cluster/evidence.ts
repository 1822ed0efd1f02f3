import type { AgentClient, RunEvent } from '../../client/index.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import type { Keyring } from '../../features/encryption/keys.ts';
import { replayHistories } from '../../worker/replay-histories.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import type { Word } from '../simulation/operator.ts';
import type { RunLife } from '../simulation/run-lives.ts';
import type { Entry } from './ledger.ts';

/** Records of the runs, their histories, and the effects, read when all runs are over. */
export interface Evidence {
  started: ReadonlySet<string>;
  words: readonly Word[];
  entries: readonly Entry[];
  /** All that the server lists, also forks whose start nobody heard of. */
  runs: Omit<RunLife, 'end' | 'steps'>[];
  histories: HistoryFacts;
}

export interface HistoryFacts {
  executions: number;
  /** Time at which an activity completed, by run id and activity id. */
  completed: Map<string, number>;
  /** Versions of the workers that continued a run, by workflow id and first run id. */
  versions: Map<string, Set<string>>;
  /** Words that were accepted. */
  updates: number;
  /** Workflow tasks that failed, and replays that did. */
  failures: string[];
}

const READERS = 8;
/**
 * Failures of workflow tasks that the server repeats. A message comes while a run ends: the server has the workflow look at the message first.
 * The parts of a new server learn of search attributes some seconds after the worker has registered them.
 */
const EXPECTED = ['UnhandledCommand', 'BadSearchAttributes'];

/** `keys`: of encrypted histories. */
export async function collectEvidence(
  client: AgentClient,
  seen: Pick<Evidence, 'started' | 'words' | 'entries'>,
  keys?: Keyring,
): Promise<Evidence> {
  const ids = new Set<string>();
  for await (const { workflowId, parentExecution } of client.temporal.workflow.list(listed(client)))
    if (!parentExecution) ids.add(workflowId);
  const runs = await aFewAtATime([...ids], READERS, (id) => readLife(client, id, seen.words));
  return { ...seen, runs, histories: await readHistories(client, keys) };
}

function listed({ taskQueue }: AgentClient): { query: string } {
  return { query: `TaskQueue = '${taskQueue}'` };
}

async function readLife(
  client: AgentClient,
  id: string,
  words: readonly Word[],
): Promise<Omit<RunLife, 'end' | 'steps'>> {
  const events: RunEvent[] = [];
  const report = await client.get(id).describe((event) => events.push(event));
  const isAgain =
    id.endsWith('-fork') ||
    words.some(
      ({ run, type, outcome }) => run === id && type.endsWith('of the ended run') && outcome !== 'refused',
    );
  return { id, isAgain, report, events };
}

/** Reads every history once, and replays it with the code of today. */
async function readHistories(client: AgentClient, keys: Keyring | undefined): Promise<HistoryFacts> {
  const facts: HistoryFacts = {
    executions: 0,
    completed: new Map(),
    versions: new Map(),
    updates: 0,
    failures: [],
  };
  async function* histories() {
    for await (const { workflowId, runId } of client.temporal.workflow.list(listed(client))) {
      const history = await client.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
      readFacts(facts, workflowId, runId, history.events ?? []);
      yield { workflowId, history };
    }
  }
  for await (const { workflowId, problem } of replayHistories(histories(), { encryption: keys }))
    if (problem !== undefined)
      facts.failures.push(`The history of ${workflowId} does not replay: ${problem}`);
  return facts;
}

type HistoryEvent = NonNullable<
  Awaited<ReturnType<ReturnType<AgentClient['temporal']['workflow']['getHandle']>['fetchHistory']>>['events']
>[number];

function readFacts(facts: HistoryFacts, id: string, runId: string, events: readonly HistoryEvent[]): void {
  facts.executions++;
  const scheduled = new Map<string, string>();
  const versions = new Set<string>();
  for (const event of events) {
    const { activityTaskScheduledEventAttributes: begun, activityTaskCompletedEventAttributes: done } = event;
    if (begun) scheduled.set(String(event.eventId), begun.activityId ?? '');
    if (done) facts.completed.set(`${runId} ${scheduled.get(String(done.scheduledEventId))}`, timeOf(event));
    if (event.workflowExecutionUpdateAcceptedEventAttributes) facts.updates++;
    const { deploymentVersion } = event.workflowTaskCompletedEventAttributes ?? {};
    if (deploymentVersion?.buildId) versions.add(deploymentVersion.buildId);
    const { cause, failure } = event.workflowTaskFailedEventAttributes ?? {};
    if (failure?.message && !EXPECTED.some((message) => failure.message?.startsWith(message)))
      facts.failures.push(`A workflow task of ${id} failed (${cause}): ${failure.message}`);
  }
  const { workflowType, firstExecutionRunId } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
  if (workflowType?.name !== AGENT_RUN) return; // a session moves to the current version
  const run = `${id} ${firstExecutionRunId ?? ''}`;
  facts.versions.set(run, new Set([...(facts.versions.get(run) ?? []), ...versions]));
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds) * 1000 + Number(eventTime?.nanos) / 1e6;
}
