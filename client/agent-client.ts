import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { RunOverrides } from '../agent/calls.ts';
import { utf8Length } from '../agent/digest.ts';
import { limits } from '../agent/limits.ts';
import type { ChatMessage, RunStatus } from '../agent/vocabulary.ts';
import { AGENT_RUN, type Lineage } from '../workflows/messages.ts';
import { type AgentResult, AgentRun } from './agent-run.ts';
import { type BatchInput, type BatchOptions, runBatch } from './batch.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { InvalidInput } from './errors.ts';

export interface StartOptions {
  /** The Temporal workflow id. An id that is running or finished gives that run. Default: the agent's name and a number. */
  id?: string;
  /** Earlier messages, for kinds that take them. */
  chatHistory?: ChatMessage[];
  model?: string;
  maxIterations?: number | null;
  /** Milliseconds. */
  maxExecutionTime?: number | null;
  /** Default: the client's. */
  taskQueue?: string;
}

export interface RunSummary {
  id: string;
  runId: string;
  agent: string;
  input: string;
  status: RunStatus;
  startedAt: Date;
  closedAt: Date | null;
}

/** Starts runs and finds them again. */
export class AgentClient {
  readonly temporal: Client;
  readonly address: string;
  readonly taskQueue: string;

  constructor(temporal: Client, address: string, taskQueue: string) {
    this.temporal = temporal;
    this.address = address;
    this.taskQueue = taskQueue;
  }

  /**
   * Finds Temporal as the CLI does: the options, TEMPORAL_ADDRESS and its kin or temporal.toml, a running
   * `reloop dev`. Throws TemporalUnreachable.
   */
  static async connect(options: ConnectOptions = {}): Promise<AgentClient> {
    const { client, address, taskQueue } = await connect(options);
    return new AgentClient(client, address, taskQueue);
  }

  /** Starts a run; resolves when it is recorded, whether or not a worker is there. Throws InvalidInput. */
  async start(agent: string, input: string, options: StartOptions = {}): Promise<AgentRun> {
    const {
      id = `${agent}-${randomUUID().slice(0, 8)}`,
      chatHistory = [],
      taskQueue = this.taskQueue,
    } = options;
    checkQuestion(agent, input, chatHistory);
    const overrides = overridesOf(options);
    const lineage: Lineage = {
      agent,
      question: { input, chatHistory },
      ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    };
    try {
      await this.temporal.workflow.start(AGENT_RUN, {
        workflowId: id,
        taskQueue,
        args: [lineage],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        memo: { agent, input: input.slice(0, 200) },
        staticSummary: `${agent}: ${input.slice(0, 160)}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return this.get(id);
  }

  /** Starts a run and waits for its answer. */
  async run(agent: string, input: string, options: StartOptions = {}): Promise<AgentResult> {
    return (await this.start(agent, input, options)).result();
  }

  /** Runs an agent on many inputs, a few at a time; results in the order of the inputs. Throws InvalidInput. */
  batch(
    agent: string,
    inputs: readonly BatchInput[],
    options: BatchOptions = {},
  ): Promise<PromiseSettledResult<AgentResult>[]> {
    return runBatch(this, agent, inputs, options);
  }

  /** A run by its id; whether there is one shows when it is used. */
  get(id: string): AgentRun {
    return new AgentRun(this.temporal, id);
  }

  /** Latest first. */
  async *list(limit = 50): AsyncGenerator<RunSummary> {
    const query = `WorkflowType = "${AGENT_RUN}" AND ExecutionStatus != "ContinuedAsNew"`;
    let left = limit;
    for await (const info of this.temporal.workflow.list({ query, pageSize: Math.min(limit, 100) })) {
      if (left-- <= 0) return;
      const { agent, input } = (info.memo ?? {}) as { agent?: string; input?: string }; // written by start
      yield {
        id: info.workflowId,
        runId: info.runId,
        agent: agent ?? '',
        input: input ?? '',
        status: statusOf(info.status.name, info.searchAttributes?.['ReloopStatus']?.[0]),
        startedAt: info.startTime,
        closedAt: info.closeTime ?? null,
      };
    }
  }

  async close(): Promise<void> {
    await this.temporal.connection.close();
  }
}

function checkQuestion(agent: string, input: string, chatHistory: ChatMessage[]): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidInput('Which agent? Its name is the first argument.');
  if (typeof input !== 'string' || input.trim() === '') throw new InvalidInput('There is no question.');
  const bytes = utf8Length(JSON.stringify({ input, chatHistory }));
  if (bytes <= limits.questionBytes) return;
  throw new InvalidInput(
    `Question and chat history take ${bytes} bytes; at most ${limits.questionBytes} can be recorded. Put the rest where a tool can read it.`,
  );
}

function overridesOf({ model, maxIterations, maxExecutionTime }: StartOptions): RunOverrides {
  return {
    ...(model === undefined ? {} : { model }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxExecutionTime === undefined ? {} : { maxExecutionTimeMs: maxExecutionTime }),
  };
}

/** Temporal's status, made finer by our own where the run wrote one. */
function statusOf(name: string, written: unknown): RunStatus {
  const own = typeof written === 'string' ? (written as RunStatus) : undefined; // written by the workflow
  switch (name) {
    case 'COMPLETED':
      return own === 'stopped' ? 'stopped' : 'completed';
    case 'CANCELLED':
      return 'cancelled';
    case 'RUNNING':
      return own === 'waiting' || own === 'paused' ? own : 'running';
    default:
      return 'failed';
  }
}
