import type { InputRequests } from '@modelcontextprotocol/server';
import {
  type AgentRun,
  needsPerson,
  type RunReport,
  type RunStatus,
  type WaitingCall,
} from '../../client/index.ts';
import { inputRequestsOf } from './decision-form.ts';
import { type ToolAnswer, answerOf } from './tool-answer.ts';

/** A run as a task of the extension io.modelcontextprotocol/tasks (`DetailedTask`). Dates are of ISO 8601. */
export interface RunTask {
  [field: string]: unknown;
  /** Id of the run. */
  taskId: string;
  status: TaskState;
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** The namespace of Temporal says how long a run is kept, not the gateway. */
  ttlMs: null;
  pollIntervalMs: number;
  /** Set with `input_required`. */
  inputRequests?: InputRequests;
  /** Set with `completed`: the result as the call itself would have it. A run that failed is a call that has completed with an error. */
  result?: ToolAnswer;
}

type TaskState = 'working' | 'input_required' | 'completed' | 'cancelled';

/** Two seconds, or five where a person has to decide: each look reads the run's history. */
const WORKING_POLL_MS = 2000;
const WAITING_POLL_MS = 5000;

/** The run as it is now. `mayAsk`: true for a wait that the client can ask its person about. Throws RunNotFound. */
export async function taskOf(run: AgentRun, mayAsk: (wait: WaitingCall) => boolean): Promise<RunTask> {
  const times: number[] = [];
  const report = await run.describe(({ at }) => times.push(at));
  const { id, status } = report;
  const asked = report.waiting.filter((wait) => needsPerson(wait) && mayAsk(wait));
  const isAsking = status === 'waiting' && asked.length > 0;
  const message = messageOf(report);
  return {
    taskId: id,
    status: isAsking ? 'input_required' : stateOf[status],
    ...(message !== undefined && { statusMessage: message }),
    createdAt: dateOf(times[0]),
    lastUpdatedAt: dateOf(times.at(-1)),
    ttlMs: null,
    pollIntervalMs: status === 'waiting' ? WAITING_POLL_MS : WORKING_POLL_MS,
    ...(isAsking && { inputRequests: inputRequestsOf(asked) }),
    ...(stateOf[status] === 'completed' && { result: { resultType: 'complete', ...answerOf(report) } }),
  };
}

/** A run that waits for a person whom this client cannot ask continues when another person decides. */
const stateOf: { readonly [S in RunStatus]: TaskState } = {
  running: 'working',
  paused: 'working',
  waiting: 'working',
  completed: 'completed',
  stopped: 'completed',
  failed: 'completed',
  cancelled: 'cancelled',
};

function messageOf(report: RunReport): string | undefined {
  switch (report.status) {
    case 'running':
    case 'completed':
    case 'stopped':
      return undefined;
    case 'paused':
      return 'The run is paused.';
    default:
      return answerOf(report).content[0]?.text;
  }
}

/** A run has no event until a worker has started it. */
function dateOf(at: number = Date.now()): string {
  return new Date(at).toISOString();
}
