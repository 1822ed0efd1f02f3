import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { sizeProblem } from '../../agent/start/check-question.ts';
import { fieldsProblem } from '../../agent/start/start-fields.ts';
import type { Content } from '../../agent/values/content.ts';
import { overridesOf } from '../../agent/start/overrides.ts';
import type { SessionMessage } from '../../agent/session/session.ts';
import type { ChatMessage, Json } from '../../agent/values/vocabulary.ts';
import { AGENT_RUN, runLabels } from '../../workflows/messages.ts';
import { AgentBudgets } from './agent-budgets.ts';
import { AgentRun, type ResultOptions } from './agent-run.ts';
import type { RunResultWithSteps } from '../report.ts';
import { runExists } from '../read/run-location.ts';
import { type Input, readInput } from '../start/read-input.ts';
import { checkId, newRunId } from '../start/run-id.ts';
import { AgentSession, type SessionSummary, listSessions } from './agent-session.ts';
import {
  AgentSchedule,
  type ScheduleSummary,
  listSchedules,
} from '../../features/schedules/client/agent-schedule.ts';
import type { ScheduleDefinition } from '../../features/schedules/rules/schedule-definition.ts';
import {
  type ScheduleChange,
  type SyncOptions,
  syncSchedules,
} from '../../features/schedules/client/sync-schedules.ts';
import type { Backtest } from '../backtest/backtest-handle.ts';
import { type BacktestOptions, startBacktest } from '../backtest/start-backtest.ts';
import { type BatchInput, type BatchOptions, type BatchResult, type BatchRunner, runBatch } from './batch.ts';
import { type ConnectOptions, connect } from '../connect/connect.ts';
import { untilHalted } from '../read/until-halted.ts';
import { otherQuestion } from '../start/other-question.ts';
import { boundedText } from '../../agent/values/values.ts';
import { readDeferred } from '../connect/deferred-token.ts';
import { InvalidInput } from '../connect/errors.ts';
import { type RunPage, type RunSummary, listPage, listRuns } from '../read/list-runs.ts';
import { endCalls, openMethods, openPromise } from '../connect/open-calls.ts';
import { type SenderOptions, clientOfSender, senderOf } from '../connect/client-of-sender.ts';
import type { ListOptions } from '../read/run-filters.ts';
import { callerTrace } from '../start/caller-trace.ts';
import { attributesOfRun, startWithAttributes } from '../start/start-attributes.ts';
import type { StartOptions } from '../start/start-options.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';
import type { DecisionReceipt } from '../../agent/rules/decisions.ts';

/** Starts runs and finds them again. */
export class AgentClient {
  readonly temporal: Client;
  readonly address: string;
  readonly taskQueue: string;

  static {
    openMethods(this, ({ temporal }) => temporal, ['close']);
  }

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
   * The same client in a person's name: starts of runs, and decisions and messages to them, are recorded with `by`. `credential`: a proof
   * of the name for the config's `authorize`, which starts are not asked about.
   */
  as(by: string, credential?: string, options: SenderOptions = {}): AgentClient {
    const temporal = clientOfSender(this.temporal, { by, credential }, options);
    return new AgentClient(temporal, this.address, this.taskQueue);
  }

  /**
   * Starts a run; `input` is a question, or the parts of one with images and files. Resolves when it is recorded, whether or not a worker is there. In a session a worker is needed, and it
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
   * Gives the result of a call that its tool deferred (`ctx.defer()`), by the token that it gave out; nothing else of
   * the run has to be known. Throws DecisionRefused when the call does not wait for it (any more), InvalidInput for a
   * value that is not a token, or not signed with a key of RELOOP_DEFER_KEY where that is set.
   */
  async resolve(token: string, output: Json): Promise<DecisionReceipt> {
    const deferred = readDeferred(token);
    return this.get(deferred.id).decide(deferred.call, { type: 'resolve', output, token: deferred.token });
  }

  /**
   * Runs an agent on many inputs, a few at a time; results in the order of the inputs. A run that waits for a person does not hold up the
   * others, and its result says `waiting`. Throws InvalidInput.
   */
  batch(agent: string, inputs: readonly BatchInput[], options: BatchOptions = {}): Promise<BatchResult[]> {
    return runBatch(this.#batchRunner(), agent, inputs, options);
  }

  /**
   * Asks recorded runs again of an agent as it is now: their tool calls are answered from the recording, and nothing with
   * an effect is run. Throws InvalidInput, RunNotFound.
   */
  backtest(agent: string, options: BacktestOptions): Promise<Backtest> {
    return startBacktest(this, agent, options.id ?? newRunId(agent), options);
  }

  /**
   * A handle on a run by its id; a missing run shows when the handle is used. `runId`: Temporal's, for an execution
   * that a reset has replaced; default: the latest.
   */
  get(id: string, runId?: string): AgentRun {
    return new AgentRun(this.temporal, id, runId);
  }

  /** A session by its name; whether there is one shows when it is used. Throws InvalidInput. */
  session(name: string): AgentSession {
    return new AgentSession(this.temporal, name);
  }

  /** Sessions whose names start with `prefix`, latest first. Default: all. `owner`: of this person only. */
  sessions(limit = Infinity, prefix = '', owner?: string): AsyncGenerator<SessionSummary> {
    return listSessions(this.temporal, limit, prefix, owner);
  }

  /** A schedule by its name; whether there is one shows when it is used. */
  schedule(name: string): AgentSchedule {
    return new AgentSchedule(this.temporal, name, this.taskQueue);
  }

  /** Schedules that start runs, by name. */
  schedules(): Promise<ScheduleSummary[]> {
    return listSchedules(this.temporal);
  }

  /**
   * Makes the server have these schedules, and says what it changed; others than those of earlier calls with this client's task queue stay as
   * they are. Throws InvalidInput, before anything is changed.
   */
  syncSchedules(
    definitions: { readonly [name: string]: ScheduleDefinition },
    options: SyncOptions = {},
  ): Promise<ScheduleChange[]> {
    return syncSchedules(this.temporal, this.taskQueue, definitions, options);
  }

  /** Budgets above runs, of the config's `budgets`. */
  budgets(): AgentBudgets {
    return new AgentBudgets(this.temporal, this.taskQueue);
  }

  /** All runs that fit, open ones first, latest first; a number is a limit. Throws InvalidInput. */
  list(options: number | ListOptions = {}): AsyncGenerator<RunSummary> {
    return listRuns(this.temporal, typeof options === 'number' ? { limit: options } : options);
  }

  /** One page of the same, and where the next one starts. Throws InvalidInput. */
  listPage(options: ListOptions = {}): Promise<RunPage> {
    return listPage(this.temporal, options);
  }

  /** Ends what this client still waits for or reads (ClientClosed), and then the connection. Runs continue. */
  async close(): Promise<void> {
    await endCalls(this.temporal);
    await this.temporal.connection.close();
  }

  #batchRunner(): BatchRunner {
    const { temporal } = this;
    return {
      begin: async (agent, input, options) => {
        const { id, runId } = await openPromise(temporal, this.#begin(agent, input, options));
        const run = new AgentRun(temporal, id, undefined, runId);
        if (runId === undefined) await checkSame(run, { agent, input });
        return {
          result: (how) => run.result(how),
          untilHalted: (signal, how) => untilHalted(temporal, this.get(id), signal, how),
        };
      },
    };
  }

  /** Starts a run. `runId`: that of a run which this call has started, if it is known. */
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
    const { input: question, media } = readInput(input);
    checkQuestion(agent, question, chatHistory, variables);
    const overrides = overridesOf(options);
    const own = Object.keys(overrides).length === 0 ? {} : { overrides };
    const by = senderOf(this.temporal);
    const trace = await callerTrace();
    if (session !== undefined) {
      await this.#say(
        session,
        { id, agent, input: question, ...own, variables, ...(trace && { traceparent: trace }), by },
        { ...options, media, taskQueue },
      );
      return { id };
    }
    const runInput: AgentRunInput = {
      agent,
      question: { input: question, chatHistory, variables },
      ...own,
      ...(trace && { trace }),
      by,
    };
    try {
      const { firstExecutionRunId: runId } = await startWithAttributes(
        this.temporal,
        attributesOfRun(runInput),
        (attributes) =>
          this.temporal.workflow.start(AGENT_RUN, {
            workflowId: id,
            taskQueue,
            args: [runInput, ...media],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            ...runLabels(agent, question, overrides, { owner: by }),
            ...attributes,
          }),
      );
      return { id, runId };
    } catch (error) {
      // The run exists already.
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
      media,
    }: StartOptions & { taskQueue: string; media: Uint8Array[] },
  ): Promise<void> {
    if (chatHistory.length > 0)
      throw new InvalidInput('A session has its own chat history: give one of them.');
    const conversation = this.session(session);
    if (id === undefined || !(await runExists(this.temporal, id)))
      await conversation.send(message, { taskQueue, detach, media });
  }
}

/** A batch that is started again finds its runs; with other inputs under its id, it would find the answers of others. */
async function checkSame(run: AgentRun, asked: { agent: string; input: Input }): Promise<void> {
  const other = await otherQuestion(run, asked);
  if (other === undefined) return;
  const { agent, question } = other;
  throw new InvalidInput(
    `There is a run "${run.id}" already, and it is another: agent ${agent} was asked "${boundedText(question, 100)}". Give the batch another id.`,
  );
}

function checkQuestion(
  agent: string,
  input: Content,
  chatHistory: ChatMessage[],
  variables: StartOptions['variables'],
): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidInput('Which agent? Its name is the first argument.');
  const problem = fieldsProblem({ chatHistory, variables }) ?? sizeProblem({ input, chatHistory, variables });
  if (problem !== undefined) throw new InvalidInput(problem);
}
