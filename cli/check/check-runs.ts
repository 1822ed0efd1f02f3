import type { Client } from '@temporalio/client';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { schemaProblem } from '../../agent/rules/fits-schema.ts';
import { type ConfigParts, missingParts } from '../../agent/rules/missing-parts.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { isOpen } from '../../history/list/listed.ts';
import { readRestartRecord } from '../../history/views/restart-record.ts';
import { AGENT_BATCH, AGENT_RUN, AGENT_SESSION, BACKTEST, BACKTEST_RUN } from '../../workflows/messages.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { InvalidInput, unless } from '../../client/connect/errors.ts';
import { type AskedRequest, sentRequest } from '../../history/views/requests.ts';
import { replayHistories } from '../../worker/replay-histories.ts';

/** A workflow, and why this config or the workflow code of this version cannot continue the workflow. */
export interface CheckedRun {
  id: string;
  runId: string;
  /** `agentRun`, `agentSession`, `backtest` or `backtestRun`. */
  type: string;
  open: boolean;
  /** The history does not replay. */
  breaks: boolean;
  /** Sentences; empty: the run continues. */
  problems: string[];
}

/** Number of workflows that are checked, the latest first. */
export interface CheckLimits {
  open: number;
  ended: number;
}

/** Runs that are read at a time. */
const READERS = 8;

const TYPES = [AGENT_RUN, AGENT_BATCH, AGENT_SESSION, BACKTEST, BACKTEST_RUN];

/** Replays open and ended workflows of a task queue, and compares the open runs' definitions with a config. Changes nothing. */
export async function checkRuns(
  client: AgentClient,
  { loaded, taskQueue }: { loaded: LoadedConfig; taskQueue: string },
  limits: CheckLimits,
): Promise<CheckedRun[]> {
  const { temporal } = client;
  const checked = [
    ...(await workflows(temporal, taskQueue, 'CloseTime IS NULL', limits.open)),
    ...(await workflows(temporal, taskQueue, ENDED, limits.ended)),
  ];
  const parts = partsOf(loaded);
  const openRuns = checked.filter(({ open, type }) => open && type === AGENT_RUN);
  await aFewAtATime(openRuns, READERS, async (run) => {
    run.problems.push(...(await problemsOf(client, run, loaded, parts)));
  });
  await replayAll(temporal, checked, loaded);
  return checked;
}

/** The next execution has the rest of a run that continued as new. */
const ENDED = 'CloseTime IS NOT NULL AND ExecutionStatus != "ContinuedAsNew"';

async function workflows(
  client: Client,
  taskQueue: string,
  condition: string,
  limit: number,
): Promise<CheckedRun[]> {
  const query = `${condition} AND WorkflowType IN (${TYPES.map((type) => `"${type}"`).join(', ')}) AND TaskQueue = "${taskQueue}"`;
  const found: CheckedRun[] = [];
  for await (const { workflowId, runId, type, status } of client.workflow.list({ query })) {
    found.push({ id: workflowId, runId, type, open: isOpen(status.name), breaks: false, problems: [] });
    if (found.length === limit) break;
  }
  return found;
}

async function problemsOf(
  client: AgentClient,
  { id, runId }: CheckedRun,
  { agents, kinds }: LoadedConfig,
  parts: ConfigParts,
): Promise<string[]> {
  const {
    manifest: own,
    agents: taken,
    input,
    calls,
  } = await readRestartRecord(client.temporal, { workflowId: id, runId });
  const manifests = taken.size > 0 ? [...taken.values()] : own === undefined ? [] : [own];
  if (manifests.length === 0) {
    if (input.agent === '' || agents.has(input.agent)) return [];
    return [`The config has no agent "${input.agent}": the run has not started, and fails (AgentNotFound).`];
  }
  const unfit = [...calls.values()].flatMap(({ id: call, kind, wait, action }) => {
    const { tool, toolInput } = action;
    const current = kind === 'tool' && wait !== undefined ? parts.tools.get(tool) : undefined;
    if (current === undefined) return [];
    const problem = schemaProblem(current.inputSchema, toolInput);
    return problem === undefined
      ? []
      : [`The input of call ${call}, which waits, does not fit the tool "${tool}" any more: ${problem}.`];
  });
  const known = [...kinds.values()];
  const isKnown = manifests.every(({ kind }) => kinds.has(kind));
  const changed = isKnown ? await otherRequest(client.get(id, runId), known) : undefined;
  return [
    ...new Set(manifests.flatMap((manifest) => missingParts(manifest, parts))),
    ...unfit,
    ...(changed === undefined ? [] : [changed]),
  ];
}

/** Compares the last answered request of a run, as this code renders it, with the request that was sent. */
async function otherRequest(run: AgentRun, kinds: readonly AgentKind[]): Promise<string | undefined> {
  const asked = new Map<string, AskedRequest>();
  const onRequest = (request: AskedRequest) => void asked.set(request.call, request);
  let changed: string | undefined;
  const read = async () => {
    for await (const event of run.events({ follow: false, live: false, onRequest, kinds })) {
      if (event.type !== 'model_ended') continue;
      const request = asked.get(event.call);
      const isSame = request === undefined || sentRequest(request, event.turn).exact;
      changed = isSame ? undefined : event.call;
    }
  };
  await unless(InvalidInput, read()); // the beginning of the run is past retention
  if (changed === undefined) return undefined;
  return `The request of step ${changed} is rendered otherwise than it was sent: the next model call gets another prompt than the calls before.`;
}

function partsOf({ earlierTools, parser, ...loaded }: LoadedConfig): ConfigParts {
  const { agents, models, kinds, queues } = loaded;
  const tools = new Map([...loaded.tools, ...earlierTools.map((tool) => [tool.name, tool] as const)]);
  return { agents, tools, models, kinds, queues, hasParser: (agent) => parser(agent) !== undefined };
}

async function replayAll(
  client: Client,
  checked: readonly CheckedRun[],
  loaded: LoadedConfig,
): Promise<void> {
  async function* histories() {
    for (const { id, runId } of checked) {
      const history = await client.workflow.getHandle(id, runId).fetchHistory();
      yield { workflowId: id, history };
    }
  }
  let index = 0;
  // The results come in the order of the histories.
  for await (const { problem } of replayHistories(histories(), loaded)) {
    const run = checked[index++];
    if (run === undefined || problem === undefined) continue;
    run.breaks = true;
    run.problems.unshift(`The workflow code does not replay its history: ${problem}`);
  }
}
