import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { CONCURRENT_AT_MOST } from '../../agent/backtest/backtest-start.ts';
import type { LiveTools } from '../../agent/definition/recorded-agent.ts';
import { limits } from '../../agent/values/limits.ts';
import { overridesOf } from '../../agent/start/overrides.ts';
import { isId } from '../../agent/session/session.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { BACKTEST, type BacktestInput, backtestId } from '../../workflows/messages.ts';
import { Backtest, noBacktest } from './backtest-handle.ts';
import { InvalidInput } from '../connect/errors.ts';
import { isNoWorkflow } from '../../history/read/pages.ts';
import { type RecordedRuns, findRecordedRuns } from './recorded-runs.ts';

/** Options for the start of a backtest. */
export interface BacktestOptions {
  /** May be left out for a backtest that is there. */
  runs?: RecordedRuns | undefined;
  /** Name of the backtest; one that is running or over is continued. Default: the agent's name and a number. */
  id?: string | undefined;
  /** Recorded runs at most, of a query the latest. Default 100. */
  limit?: number | undefined;
  /** Overrides the agent's model. */
  model?: string | undefined;
  /** Run calls that were not recorded, of tools with `effects: 'none'`. Default: such a call ends its run. */
  live?: LiveTools | undefined;
  /** Runs under way at the same time. Default 4. */
  concurrency?: number | undefined;
  /** Default: the client's. */
  taskQueue?: string | undefined;
}

/** The part of a client that starting a backtest needs. */
interface BacktestClient {
  temporal: Client;
  taskQueue: string;
}

const RUNS_AT_MOST = 1_000;

/** Resolves when the backtest is recorded, whether or not a worker is there. Throws InvalidInput. */
export async function startBacktest(
  client: BacktestClient,
  agent: string,
  id: string,
  options: BacktestOptions,
): Promise<Backtest> {
  const { runs, limit = 100, live, concurrency = 4, model, taskQueue = client.taskQueue } = options;
  check(agent, id, { limit, concurrency, live });
  const handle = new Backtest(client.temporal, id);
  if (await isThere(client, agent, id)) return handle;
  if (runs === undefined) throw noBacktest(id);
  const found = await findRecordedRuns(client.temporal, agent, runs, limit);
  const overrides = model === undefined ? undefined : overridesOf({ model });
  const input: BacktestInput = { agent, overrides, live, concurrency, runs: found };
  checkSize(id, input);
  try {
    await client.temporal.workflow.start(BACKTEST, {
      workflowId: backtestId(id),
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo: { agent },
      staticSummary: `backtest of ${agent} against ${found.length} recorded runs`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return handle;
}

/** JavaScript does not check types. */
function check(
  agent: unknown,
  id: string,
  { limit, concurrency, live }: Pick<BacktestOptions, 'limit' | 'concurrency' | 'live'>,
): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidInput('Which agent? Its name is the first argument.');
  if (!isId(id))
    throw new InvalidInput(
      'The name of a backtest is a text of 1 to 200 characters without control characters.',
    );
  checkNumber('limit', limit, RUNS_AT_MOST);
  checkNumber('concurrency', concurrency, CONCURRENT_AT_MOST);
  if (live === undefined || live === 'none-effects') return;
  throw new InvalidInput(
    `live is ${String(live)}; it can be none-effects, or be left out: then no tool is run.`,
  );
}

function checkNumber(name: string, value: number | undefined, atMost: number): void {
  if (Number.isInteger(value) && value !== undefined && value >= 1 && value <= atMost) return;
  throw new InvalidInput(`${name} is ${value}; give a whole number from 1 to ${atMost}.`);
}

/** The longest id that Temporal takes is one of 1,000 characters, and a run's is made of two. */
function checkSize(id: string, { runs, ...input }: BacktestInput): void {
  const tooLong = runs.find(({ workflowId }) => backtestId(id).length + workflowId.length > 990);
  if (tooLong !== undefined) {
    throw new InvalidInput(
      `The name "${id}" and the id "${tooLong.workflowId}" together are too long for the id of a run: give the backtest a shorter one.`,
    );
  }
  if (jsonBytes({ ...input, runs }) <= limits.questionBytes) return;
  throw new InvalidInput(
    `The ids of ${runs.length} runs are more than can be recorded at once: start two backtests with fewer runs.`,
  );
}

/** A name belongs to one agent's backtest. Throws InvalidInput for another one's. */
async function isThere({ temporal }: BacktestClient, agent: string, id: string): Promise<boolean> {
  try {
    const { memo } = await temporal.workflow.getHandle(backtestId(id)).describe();
    if (memo?.['agent'] === agent) return true;
    throw new InvalidInput(
      `There is a backtest "${id}" already, and it is of agent ${String(memo?.['agent'])}: give this one another id.`,
    );
  } catch (error) {
    if (isNoWorkflow(error)) return false;
    throw error;
  }
}
