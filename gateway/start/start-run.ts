import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentClient,
  type AgentRun,
  type Input,
  newRunId,
  RunNotFound,
  type StartOptions,
} from '../../client/index.ts';
import { unless } from '../../client/connect/errors.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import type { Caller } from '../http/caller.ts';
import { Refused } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import type { ServedAgent } from '../http/route.ts';
import { checkBroughtTools } from './brought-tools.ts';
import { checkSession, ownRun, seenOwner } from './own-runs.ts';
import { recordedName } from '../http/tenant.ts';
import { checkImageUrls } from './image-hosts.ts';
import type { SetFields } from './set-fields.ts';

/** A start as a request asks for it, with the fields that the caller may set. Names of runs and sessions are without the tenant. */
export interface RequestedStart extends SetFields, Pick<StartOptions, 'id' | 'session'> {
  agent: string;
  input: Input;
  /** An idempotency key, in place of `id`: the same caller and key give the same run. */
  key?: string | undefined;
  /** The id stands for a message that may be sent again: the same id with another start is refused. */
  isRepeatable?: boolean | undefined;
}

/** `hasBegun`: false while the run waits for its turn in the session. Such a run cannot be read yet. */
export interface StartedRun {
  id: string;
  hasBegun: boolean;
  /** Recorded name of the session of a run that has not started. */
  session?: string | undefined;
}

/**
 * Starts a run for a caller, or finds the run that the same id or key has started. Throws Refused for an agent that is not served, and
 * for a key that started another run; InvalidInput for options that do not fit.
 */
export async function startRun(
  {
    client,
    caller,
    agents,
    imageHosts,
  }: Pick<ProtocolRequest, 'client' | 'caller' | 'agents' | 'imageHosts'>,
  {
    agent,
    input,
    key,
    isRepeatable = key !== undefined,
    session: conversation,
    id: requested,
    context = caller.context,
    ...fields
  }: RequestedStart,
): Promise<StartedRun> {
  servedAgent(agents, agent);
  checkBroughtTools(agents, agent, fields.clientTools);
  checkImageUrls(input, imageHosts);
  if (conversation !== undefined) await checkSession({ client, caller }, conversation);
  const id = idOf(caller, agent, requested, key);
  const session = conversation === undefined ? undefined : recordedName(caller, conversation);
  const options = { ...fields, context, tenant: caller.tenant, session };
  if (isRepeatable) await checkSameStart(client, id, { agent, input, ...options });
  await client.start(agent, input, { ...options, id, detach: true });
  if (requested !== undefined) await checkFound({ client, caller }, id);
  const hasBegun =
    session === undefined ||
    (await withTimeLimit(BEGIN_MS, undefined, (signal) => waitUntilBegun(client, id, signal)));
  return { id, hasBegun, session };
}

/**
 * Finds the run that an earlier request with this start has started. Throws RunNotFound for a run that is not there, or that the caller may not
 * see; Refused for a run of another start.
 */
export async function runOfStart(
  by: Pick<ProtocolRequest, 'client' | 'caller'>,
  id: string,
  { session, ...start }: Pick<RequestedStart, 'agent' | 'input' | 'session'>,
): Promise<AgentRun> {
  const run = await ownRun(by, id);
  await run.labels();
  const { context, tenant } = by.caller;
  const recorded = session === undefined ? undefined : recordedName(by.caller, session);
  const options = { ...start, context, tenant, session: recorded };
  await checkSameStart(by.client, id, options);
  return run;
}

/** Throws RunNotFound if the id is that of a run of another caller, which was there before. A run that waits for its turn is new. */
async function checkFound(by: Pick<ProtocolRequest, 'client' | 'caller'>, id: string): Promise<void> {
  if (seenOwner(by.caller) === undefined || !(await by.client.get(id).exists())) return;
  await ownRun(by, id);
}

/** A run of a session without other runs starts at once. */
const BEGIN_MS = 5000;
/** Pause before the next look: a message may wait for hours for its turn, and each look is a request to Temporal. */
export function pauseAfter(waitedMs: number): number {
  return Math.min(Math.max(100, waitedMs / 10), 2000);
}

/** Resolves with true when the run can be read, with false at the signal. */
export async function waitUntilBegun(client: AgentClient, id: string, signal: AbortSignal): Promise<boolean> {
  const from = performance.now();
  while (!signal.aborted) {
    if (await client.get(id).exists()) return true;
    await sleep(pauseAfter(performance.now() - from), undefined, { signal }).catch(() => undefined); // the signal is looked at above
  }
  return false;
}

/** The agent of that name. Throws Refused for an agent that callers may not start. */
export function servedAgent(agents: ProtocolRequest['agents'], name: string): ServedAgent {
  const found = agents === undefined ? { name } : agents.find((one) => one.name === name);
  if (found !== undefined) return found;
  const what = `There is no agent ${JSON.stringify(name)}. GET /agents lists them.`;
  throw new Refused(404, 'AgentNotFound', what);
}

/** Returns the id that was given; for an idempotency key always the same id. */
function idOf(caller: Caller, agent: string, id: string | undefined, key: string | undefined): string {
  if (id !== undefined && key !== undefined) {
    throw new Refused(400, 'InvalidInput', 'There are an id and an Idempotency-Key: give one of them.');
  }
  if (key === undefined) return recordedName(caller, id ?? newRunId(agent));
  if (key === '')
    throw new Refused(400, 'InvalidInput', 'The Idempotency-Key is empty. Leave it out, or write one.');
  const digest = createHash('sha256').update(JSON.stringify([caller.tenant ?? '', caller.name, key]));
  return recordedName(caller, `${agent}-${digest.digest('hex').slice(0, 24)}`);
}

/** Throws Refused for an id of a key or of a message that started another run: the whole start has to be the same. */
async function checkSameStart(
  client: AgentClient,
  id: string,
  { agent, input, ...options }: Omit<RequestedStart, 'key' | 'id' | 'isRepeatable'>,
): Promise<void> {
  const isSame = await unless(RunNotFound, client.get(id).startedWith(agent, input, options));
  if (isSame !== false) return;
  throw new Refused(
    422,
    'KeyUsed',
    'This idempotency key, or id of a message, has started another run. Take a new one for another question, or for other options.',
  );
}
