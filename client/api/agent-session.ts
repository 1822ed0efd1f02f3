import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import type { ClearData } from '../../agent/rules/sent-data.ts';
import {
  type SessionMessage,
  type SessionState,
  checkSessionMessage,
  checkSessionName,
  newSession,
  sessionId,
} from '../../agent/session/session.ts';
import type { ChatMessage, Usage } from '../../agent/values/vocabulary.ts';
import {
  AGENT_SESSION,
  type RunOwnership,
  type SessionReceipt,
  clearUpdate,
  ownershipIn,
  ownershipMemo,
  sendSignal,
  sendUpdate,
} from '../../workflows/messages.ts';
import { DecisionRefused, InvalidInput, SessionNotFound } from '../connect/errors.ts';
import { readFacts } from '../../history/read/facts.ts';
import { recordOf } from '../../history/views/session.ts';
import { outcomeOf, patiently } from '../connect/update-run.ts';
import { isNoWorkflow } from '../../history/read/pages.ts';
import { openMethods } from '../connect/open-calls.ts';
import { locationOfSession } from '../read/run-location.ts';
import { attributesOfSession, startWithAttributes } from '../start/start-attributes.ts';

/** A session as `reloop session show --json` prints it; the field names are a contract. */
export interface SessionReport {
  name: string;
  /** Name of the person who started it, if the person's client had one. */
  owner?: string | undefined;
  /** Questions and answers, oldest first, perhaps after a summary of older ones (a system message). */
  messages: ChatMessage[];
  /** Ids of its latest runs, oldest first, the one under way included. */
  runs: string[];
  /** Id of the run whose turn it is. */
  running: string | null;
  /** Ids of the runs that wait for their turn, in order. */
  queued: string[];
  /** Ids of the latest runs without an answer: a retried run adds its answer later. */
  unanswered: string[];
  /** Usage and cost of the notes that the model wrote on older turns (`memory: { kind: 'summary' }`). In no run's usage. */
  notesUsage?: Usage | undefined;
}

export interface SessionSummary {
  name: string;
  /** Start of its workflow; a long session continues as new from time to time. */
  startedAt: Date;
  /** Name of the person who started it, if the person's client had one. */
  owner?: string | undefined;
}

export interface SendOptions {
  /** Task queue of a new session; an existing session keeps its own. */
  taskQueue: string;
  /** Resolve when the message is recorded. */
  detach: boolean;
  /** Images and files that its question refers to, in their order. */
  media?: readonly Uint8Array[] | undefined;
}

interface SessionStart {
  workflowId: string;
  taskQueue: string;
  args: [SessionState];
  staticSummary: string;
  memo: { [field: string]: unknown };
}

/** While one run of the session's workflow gives way to the next, the server refuses messages: for some milliseconds. */
const RESOURCE_EXHAUSTED = 8;
const CLOSING_TRIES = 200;
const CLOSING_MS = 25;

/** Tries until a session that is keeping an answer, perhaps with a summary, counts as busy. */
const SETTLING_TRIES = 50;
const SETTLING_MS = 100;

/** A conversation that is kept over runs. Only a message that is waited for, and `clear`, need a worker. */
export class AgentSession {
  readonly name: string;
  readonly #client: Client;
  readonly #id: string;

  static {
    openMethods(this, (session) => session.#client);
  }

  /** Throws InvalidInput for a name that none can have. */
  constructor(client: Client, name: string) {
    valid(() => checkSessionName(name));
    this.name = name;
    this.#client = client;
    this.#id = sessionId(name);
  }

  /** The current state of the session, from history. Throws SessionNotFound. */
  async describe(): Promise<SessionReport> {
    const { runId, ownership } = await locationOfSession(this.#client, this.name);
    const facts = readFacts(this.#client, { workflowId: this.#id, runId });
    const record = await recordOf(this.name, facts);
    const { name, messages, runs, running, queue, unanswered = [], notesUsage } = record;
    const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    const { owner } = ownership;
    return {
      name,
      ...(owner !== undefined && { owner }),
      messages,
      runs,
      running,
      queued: idsOf(queue),
      unanswered: idsOf(unanswered),
      ...(notesUsage !== undefined && { notesUsage }),
    };
  }

  /** The person the session belongs to, as its start has it. Reads no history. Throws SessionNotFound. */
  async labels(): Promise<RunOwnership> {
    return (await locationOfSession(this.#client, this.name)).ownership;
  }

  /** Forgets the conversation. Throws SessionNotFound; DecisionRefused while a run is open or waits for its turn. */
  async clear(): Promise<void> {
    const { firstRunId: conversation } = await locationOfSession(this.#client, this.name);
    const args: [ClearData | null] = [conversation === undefined ? null : { conversation }];
    for (let tries = 1; ; tries++) {
      try {
        const session = this.#client.workflow.getHandle(this.#id);
        await patiently(this.#client, () =>
          outcomeOf(session, (updateId) => session.executeUpdate(clearUpdate, { args, updateId })),
        );
        return;
      } catch (error) {
        if (isNoWorkflow(error)) throw new SessionNotFound(this.name, { cause: error });
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        const { firstRunId } = await locationOfSession(this.#client, this.name);
        // A request whose answer got lost has cleared the conversation, or another caller has.
        if (firstRunId !== conversation) return;
        // The last run may be over in history before its session knows: there was no worker.
        const { running, queued } = await this.describe();
        if (running !== null || queued.length > 0 || tries === SETTLING_TRIES)
          throw refusal(DecisionRefused, error);
        await later(SETTLING_MS);
      }
    }
  }

  /**
   * Says something, and starts the session with it if it is new. Resolves when the message's run is there: when it is its
   * turn; with `detach`, when the message is recorded. The same id again is the same message. Throws InvalidInput.
   */
  async send(message: SessionMessage, { taskQueue, detach, media = [] }: SendOptions): Promise<void> {
    valid(() => checkSessionMessage(message, media.length));
    const start: SessionStart = {
      workflowId: this.#id,
      taskQueue,
      args: [newSession(this.name)],
      staticSummary: `session ${this.name}`,
      memo: { ...ownershipMemo({ owner: message.by }) },
    };
    if (detach || media.length > 0) {
      await startWithAttributes(this.#client, attributesOfSession(this.name), (attributes) =>
        this.#client.workflow.signalWithStart(AGENT_SESSION, {
          ...start,
          ...attributes,
          signal: sendSignal,
          signalArgs: [message, ...media],
        }),
      );
    }
    if (detach) return;
    // A session that continues as new takes the message along, but not the callers that wait for it.
    while ((await this.#sendOnce(message, start)) === 'queued');
  }

  async #sendOnce(message: SessionMessage, start: SessionStart, tries = 1): Promise<SessionReceipt['state']> {
    try {
      const { state } = await startWithAttributes(
        this.#client,
        attributesOfSession(this.name),
        (attributes) =>
          patiently(this.#client, () =>
            outcomeOf(this.#client.workflow.getHandle(this.#id), (updateId) =>
              this.#client.workflow.executeUpdateWithStart(sendUpdate, {
                args: [message],
                updateId,
                startWorkflowOperation: new WithStartWorkflowOperation(AGENT_SESSION, {
                  ...start,
                  ...attributes,
                  workflowIdConflictPolicy: 'USE_EXISTING',
                }),
              }),
            ),
          ),
      );
      return state;
    } catch (error) {
      if (isClosing(error) && tries < CLOSING_TRIES) {
        await later(CLOSING_MS);
        return this.#sendOnce(message, start, tries + 1);
      }
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      await locationOfSession(this.#client, this.name); // throws for one that has ended
      throw refusal(InvalidInput, error);
    }
  }
}

/** Sessions whose names start with `prefix`, latest first. */
export async function* listSessions(
  client: Client,
  limit: number,
  prefix: string,
  owner: string | undefined,
): AsyncGenerator<SessionSummary> {
  const own = prefix === '' ? '' : ` AND WorkflowId STARTS_WITH ${JSON.stringify(sessionId(prefix))}`;
  const query = `WorkflowType = "${AGENT_SESSION}" AND CloseTime IS NULL${own}`;
  let left = limit;
  for await (const { workflowId, startTime, memo } of client.workflow.list({
    query,
    pageSize: Math.min(limit, 100),
  })) {
    if (left <= 0) return;
    const labels = ownershipIn(memo);
    // SQLite and some databases of MySQL compare without case.
    if (!workflowId.startsWith(sessionId(prefix))) continue;
    if (owner !== undefined && labels.owner !== owner) continue;
    left--;
    yield { name: workflowId.slice(sessionId('').length), startedAt: startTime, ...labels };
  }
}

function isClosing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === RESOURCE_EXHAUSTED;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function valid(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new InvalidInput(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function refusal(
  Refused: new (message: string, options: ErrorOptions) => Error,
  error: WorkflowUpdateFailedError,
): Error {
  return new Refused(error.cause?.message ?? error.message, { cause: error });
}
