import {
  awaitsResult,
  calledText,
  type Json,
  needsPerson,
  possibleDecisions,
  reasonText,
  type RunReport,
  type RunStatus,
  type WaitingCall,
} from '../../client/index.ts';
import { failureText } from '../access/failure-text.ts';
import { approvalId } from '../start/approvals.ts';
import type {
  AgentMessage,
  Artifact,
  JsonPart,
  Task,
  TaskState,
  TaskStatus,
  TaskUpdate,
} from './a2a-types.ts';

/** State of a run that a task shows: a report, or a view of the run. */
export type TaskRun = Pick<RunReport, 'id' | 'status' | 'stopReason' | 'output' | 'waiting' | 'error'>;

const stateOf: { readonly [S in RunStatus]: TaskState } = {
  running: 'TASK_STATE_WORKING',
  paused: 'TASK_STATE_WORKING',
  waiting: 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  stopped: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
};

export function taskOf(run: TaskRun, contextId: string): Task {
  const { id, stopReason } = run;
  const answer = answerOf(run);
  return {
    id,
    contextId,
    status: statusOf(run, contextId),
    ...(answer !== undefined && { artifacts: [artifactOf(answer)] }),
    ...(run.status === 'stopped' && stopReason !== null && { metadata: { stopReason } }),
  };
}

/** The task of a run that waits for its turn in the session. */
export function submittedTask(id: string, contextId: string): Task {
  return { id, contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
}

/** A message about a task that waits for its turn. */
export function submittedUpdate(id: string, contextId: string, text = ''): TaskUpdate {
  const message = agentMessage(id, contextId, { messageId: `${id}:${text}`, parts: [{ text }] });
  return {
    statusUpdate: { taskId: id, contextId, status: { state: 'TASK_STATE_SUBMITTED', message } },
  };
}

export function isOver({ status: { state } }: Task): boolean {
  return ENDS.includes(state);
}

const ENDS: readonly TaskState[] = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED'];

export function statusOf(run: TaskRun, contextId: string): TaskStatus {
  const state = stateOf[run.status];
  const said = messageOf(run);
  if (said === undefined) return { state };
  return { state, message: agentMessage(run.id, contextId, said) };
}

interface SaidParts {
  messageId: string;
  parts: JsonPart[];
}

export function agentMessage(
  taskId: string,
  contextId: string,
  { messageId, parts }: SaidParts,
): AgentMessage {
  return { messageId, taskId, contextId, role: 'ROLE_AGENT', parts };
}

function messageOf({ id, status, waiting, error }: TaskRun): SaidParts | undefined {
  switch (status) {
    case 'waiting':
      return askingMessage(id, waiting.filter(needsPerson));
    case 'paused':
      return { messageId: `${id}:paused`, parts: [{ text: 'The run is paused.' }] };
    case 'failed':
      return { messageId: `${id}:failed`, parts: [{ text: failureText(error) }] };
    default:
      return undefined;
  }
}

/** A text for a person, and the same as data for programs: `call` and `n` are the `call` and `wait` of a decision. */
function askingMessage(run: string, waits: readonly WaitingCall[]): SaidParts {
  const waiting = waits.map((wait) => ({
    ...wait,
    decisions: possibleDecisions(wait).map(({ type }) => type),
  }));
  return {
    messageId: waits.map(({ call, n }) => approvalId({ run, call, n })).join(','),
    parts: [{ text: waits.map(askingText).join('\n') }, { data: { waiting } }],
  };
}

function askingText(wait: WaitingCall): string {
  const { toolInput, error, reason } = wait;
  const why = error === undefined ? '' : ` (${error.message})`;
  const answers = possibleDecisions(wait).map(({ type }) => type);
  const result = reason === 'answer' ? 'answer' : 'result';
  const how = awaitsResult(wait) ? `Reply with the ${result}.` : `Reply with one of: ${answers.join(', ')}.`;
  const input = toolInput === null ? '' : `: ${JSON.stringify(toolInput)}`;
  return `${calledText(wait)} ${reasonText(wait)}${why}${input}. ${how}`;
}

/** The only artifact of a task. */
export function artifactOf(part: JsonPart): Artifact {
  return { artifactId: 'answer', parts: [part] };
}

/** The answer of a run that has one: a text as text, all else as data. */
export function answerOf({ status, output }: { status: RunStatus; output: Json }): JsonPart | undefined {
  if (status !== 'completed' && status !== 'stopped') return undefined;
  return typeof output === 'string' ? { text: output } : { data: output };
}
