import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { Content } from '../agent/content.ts';
import { limits } from '../agent/limits.ts';
import type { SessionMessage } from '../agent/session/session.ts';
import { readToken } from '../agent/defer-token.ts';
import type { ChatMessage, Json } from '../agent/vocabulary.ts';
import { AGENT_RUN, type AgentRunInput, type DecisionReceipt, runLabels } from '../workflows/messages.ts';
import { AgentRun, type ResultOptions, type RunResultWithSteps } from './agent-run.ts';
import { placeOfRun } from './place.ts';
import { type Input, readInput } from './read-input.ts';
import { checkId, newRunId } from './run-id.ts';
import { AgentSession, type SessionSummary, listSessions } from './agent-session.ts';
import type { Backtest } from './backtest-handle.ts';
import { type BacktestOptions, startBacktest } from './start-backtest.ts';
import { type BatchInput, type BatchOptions, runBatch } from './batch.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { InvalidInput, RunNotFound } from './errors.ts';
import { type RunPage, type RunSummary, listPage, listRuns } from './list-runs.ts';
import { overridesOf } from './overrides.ts';
import type { ListOptions } from './run-filters.ts';
import { attributesOfRun, startWithAttributes } from './start-attributes.ts';
import type { StartOptions } from './start-options.ts';

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

  /**
   * Starts a run; `input` is a question, or the parts of one with images. Resolves when it is recorded, whether or not a worker is there. In a session a worker is needed, and it
   * resolves when the run's turn has come. Throws InvalidInput.
   */
  async start(agent: string, input: Input, options: StartOptions = {}): Promise<AgentRun> {
    return this.get((await this.#begin(agent, input, options)).id);
  }

  /** Starts a run and waits for its answer. */
  async run(
    agent: string,
    input: Input,
    { onWaiting, ...options }: StartOptions & ResultOptions = {},
  ): Promise<RunResultWithSteps> {
    const { id, runId } = await this.#begin(agent, input, options);
    return new AgentRun(this.temporal, id, undefined, runId).result({ onWaiting });
  }

  /**
   * Gives the result of a call that its tool deferred (`ctx.defer()`), by the token that it gave out; nothing else of the run
   * has to be known. Throws DecisionRefused when the call does not wait for it (any more), InvalidInput for what is no token.
   */
  async resolve(token: string, output: Json): Promise<DecisionReceipt> {
    const found = readToken(token);
    if (found === undefined)
      throw new InvalidInput('This is no token of a deferred call: pass on what ctx.defer() gave.');
    return this.get(found.id).decide(found.call, { type: 'resolve', output, token });
  }

  /** Runs an agent on many inputs, a few at a time; results in the order of the inputs. Throws InvalidInput. */
  batch(
    agent: string,
    inputs: readonly BatchInput[],
    options: BatchOptions = {},
  ): Promise<PromiseSettledResult<RunResultWithSteps>[]> {
    return runBatch(this, agent, inputs, options);
  }

  /**
   * Asks recorded runs again of an agent as it is now: their tool calls are answered from the recording, and nothing with
   * an effect is run. Throws InvalidInput, RunNotFound.
   */
  backtest(agent: string, options: BacktestOptions): Promise<Backtest> {
    return startBacktest(this, agent, options.id ?? newRunId(agent), options);
  }

  /**
   * A run by its id; whether there is one shows when it is used. `runId`: of Temporal, for one that a reset has replaced;
   * without, the latest.
   */
  get(id: string, runId?: string): AgentRun {
    return new AgentRun(this.temporal, id, runId);
  }

  /** A session by its name; whether there is one shows when it is used. Throws InvalidInput. */
  session(name: string): AgentSession {
    return new AgentSession(this.temporal, name);
  }

  /** Sessions, latest first. */
  sessions(limit = 50): AsyncGenerator<SessionSummary> {
    return listSessions(this.temporal, limit);
  }

  /** Runs that fit, open ones first, latest first; a number is a limit (default 50). Throws InvalidInput. */
  list(options: number | ListOptions = {}): AsyncGenerator<RunSummary> {
    return listRuns(this.temporal, typeof options === 'number' ? { limit: options } : options);
  }

  /** One page of the same, and where the next one begins. Throws InvalidInput. */
  listPage(options: ListOptions = {}): Promise<RunPage> {
    return listPage(this.temporal, options);
  }

  async close(): Promise<void> {
    await this.temporal.connection.close();
  }

  /** `runId`: of a run that this has begun, where that is known. */
  async #begin(
    agent: string,
    input: Input,
    options: StartOptions,
  ): Promise<{ id: string; runId?: string | undefined }> {
    const {
      id = newRunId(agent),
      chatHistory = [],
      variables,
      session,
      taskQueue = this.taskQueue,
    } = options;
    checkId(id);
    const { input: question, images } = readInput(input);
    checkQuestion(agent, question, chatHistory, variables);
    const overrides = overridesOf(options);
    const own = Object.keys(overrides).length === 0 ? {} : { overrides };
    if (session !== undefined) {
      await this.#say(
        session,
        { id, agent, input: question, ...own, variables },
        { ...options, images, taskQueue },
      );
      return { id };
    }
    const runInput: AgentRunInput = {
      agent,
      question: { input: question, chatHistory, variables },
      ...own,
    };
    try {
      const { firstExecutionRunId: runId } = await startWithAttributes(
        this.temporal,
        attributesOfRun(runInput),
        (attributes) =>
          this.temporal.workflow.start(AGENT_RUN, {
            workflowId: id,
            taskQueue,
            args: [runInput, ...images],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            ...runLabels(agent, question),
            ...attributes,
          }),
      );
      return { id, runId };
    } catch (error) {
      // It is there already.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return { id };
    }
  }

  /** A question asked in a session; an id that is there already gives that run. */
  async #say(
    session: string,
    message: SessionMessage,
    {
      chatHistory = [],
      id,
      detach = false,
      taskQueue,
      images,
    }: StartOptions & { taskQueue: string; images: Uint8Array[] },
  ): Promise<void> {
    if (chatHistory.length > 0)
      throw new InvalidInput('A session has its own chat history: give one of them.');
    const conversation = this.session(session);
    if (id === undefined || !(await this.#exists(id)))
      await conversation.send(message, { taskQueue, detach, images });
  }

  async #exists(id: string): Promise<boolean> {
    try {
      await placeOfRun(this.temporal, id);
      return true;
    } catch (error) {
      if (error instanceof RunNotFound) return false;
      throw error;
    }
  }
}

function checkQuestion(
  agent: string,
  input: Content,
  chatHistory: ChatMessage[],
  variables: StartOptions['variables'],
): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidInput('Which agent? Its name is the first argument.');
  if (chatHistory.some(({ content }) => Array.isArray(content)))
    throw new InvalidInput(
      'chatHistory takes texts. Ask about images in the question, or in a session, which keeps them.',
    );
  const bytes = utf8Length(JSON.stringify({ input, chatHistory, variables }));
  if (bytes <= limits.questionBytes) return;
  throw new InvalidInput(
    `Question and chat history take ${bytes} bytes; at most ${limits.questionBytes} can be recorded. Put the rest where a tool can read it.`,
  );
}
