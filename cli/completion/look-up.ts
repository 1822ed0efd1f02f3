import { type CallsUnderWay, trackCalls } from '../../agent/views/view.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf } from '../../agent/rules/waiting.ts';
import { decisionNames, decisionFits } from '../../agent/rules/decisions.ts';
import { waitingReasons } from '../../agent/rules/wait-reasons.ts';
import { stateDirectory } from '../../local/server/project-folder.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { RunSummary } from '../../client/read/list-runs.ts';
import type { Candidate, CompletionContext, RunsFor, CompletionTarget } from './candidates.ts';
import { scheduleNames } from '../../features/schedules/command/schedule-names.ts';

const MOST = 30;
/** A server that was named and is not up takes seconds to say so. */
const CONNECT_MS = 700;

/** Names that only a server knows; none where no server is up: none is started for a TAB. */
export async function lookUp(
  wanted: Exclude<CompletionTarget, { type: 'words' | 'agents' | 'evals' | 'files' }>,
  place: Pick<CompletionContext, 'address' | 'namespace'>,
): Promise<Candidate[]> {
  const client = await connect(place);
  if (client === undefined) return [];
  switch (wanted.type) {
    case 'names':
      return (await names.get(wanted.of)?.(client))?.slice(0, MOST) ?? [];
    case 'runs':
      return runs(client, wanted.which);
    case 'calls':
      return calls(client, wanted.run, wanted.command);
  }
}

async function connect({ address, namespace: named }: Pick<CompletionContext, 'address' | 'namespace'>) {
  const { connectTo, temporalSettings } = await import('../../client/connect/connect.ts');
  const settings = temporalSettings({
    ...(address === undefined ? {} : { address }),
    ...(named === undefined ? {} : { namespace: named }),
  });
  const server = settings.address ?? (await ownServer());
  if (server === undefined) return undefined;
  const { AgentClient: Client } = await import('../../client/api/agent-client.ts');
  const connecting = connectTo(
    server,
    settings.namespace,
    settings.address === undefined ? {} : settings.connection,
  );
  connecting.catch(() => undefined); // it may fail after the wait for it is over
  const temporal = await Promise.race([connecting, sleep(CONNECT_MS, undefined, { ref: false })]);
  return temporal && new Client(temporal, server, '');
}

async function ownServer(): Promise<string | undefined> {
  const { runningServer } = await import('../../local/server/server.ts');
  return (await runningServer(stateDirectory()))?.address;
}

/** Readers of names, by the command that takes them. */
const names: ReadonlyMap<string, (client: AgentClient) => Promise<Candidate[]>> = new Map([
  ['session', sessions],
  ['schedule', scheduleNames],
]);

async function sessions(client: AgentClient): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for await (const { name } of client.sessions(MOST)) found.push({ word: name, about: '' });
  return found;
}

async function runs(client: AgentClient, which: RunsFor): Promise<Candidate[]> {
  if (which.of === 'any') return candidates(client, {});
  if (which.of === 'open') return candidates(client, { status: ['running', 'waiting', 'paused'] });
  // A run whose call waits for its lost attempt continues.
  const running = which.command === 'reconcile' ? (['running'] as const) : [];
  const waiting = await list(client, { status: [...running, 'waiting', 'paused'] });
  const fitting = waiting.filter((run) => fittingCalls(run, which.command).length > 0).map(candidateOf);
  // A run that is over may be retried as a whole.
  if (fitting.length > 0 || which.command !== 'retry') return fitting;
  return candidates(client, { status: ['failed', 'cancelled'] });
}

/** Running tool calls for `cancel`; waiting calls that fit for a decision. */
async function calls(client: AgentClient, id: string, command: string): Promise<Candidate[]> {
  const underWay: CallsUnderWay = new Map();
  const { waiting } = await client.get(id).describe((event) => trackCalls(underWay, event));
  if (command === 'cancel') {
    const tools = [...underWay].filter(([, tool]) => tool !== 'callModel');
    return tools.map(([word, about]) => ({ word, about }));
  }
  return waiting
    .filter((call) => fits(command, call))
    .map(({ call, tool, reason }) => ({ word: call, about: `${tool} ${reason}` }));
}

type Filter = Parameters<AgentClient['listPage']>[0];

async function candidates(client: AgentClient, filter: Filter): Promise<Candidate[]> {
  return (await list(client, filter)).map(candidateOf);
}

async function list(client: AgentClient, filter: Filter): Promise<RunSummary[]> {
  return (await client.listPage({ ...filter, limit: MOST })).runs;
}

function candidateOf({ id, agent, status, input }: RunSummary): Candidate {
  return { word: id, about: `${status} ${agent}: ${input}` };
}

function fittingCalls({ waiting = [] }: RunSummary, command: string) {
  return waiting.filter((call) => fits(command, call));
}

function fits(
  command: string,
  { call, reason: said, until }: { call: string; reason: string; until?: number | undefined },
): boolean {
  const name = decisionNames.find((known) => known === command);
  const reason = waitingReasons.find((known) => known === said);
  if (name === undefined || reason === undefined) return false;
  return decisionFits(name, stateOf({ call, reason, until }));
}
