import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';
import type { ToolContext } from '../tool.ts';
import { ServiceError } from '../http/error.ts';
import type { CallState } from './questions.ts';
import type { McpConnection } from './connection.ts';
import { complaintOfInput, errorFields } from './error.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';

const Task = z.looseObject({
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
  pollIntervalMs: z.number().optional(),
  inputRequests: z.looseObject({}).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number().optional(), message: z.string().optional() }).optional(),
});

export type TaskNews =
  { type: 'ended'; result: unknown } | { type: 'asks'; requests: { [key: string]: unknown } };

/** Longest and shortest wait between two looks at a task. */
const [SHORTEST_MS, LONGEST_MS] = [50, 60_000];
const USUAL_MS = 1_000;
/** A server may be away for as many looks in a row. */
const LOOKS_IN_VAIN = 10;

/**
 * Sends the answers, and looks at the task until it has ended or asks something that is not among the answered keys `told`. The server's
 * error of a failed task is thrown as that of a call would be, and the call forgets such a task.
 */
export async function followTask(
  connection: McpConnection,
  taskId: string,
  { answers, told }: Pick<CallState, 'answers' | 'told'>,
  { signal, progress, checkpoint }: ToolContext,
): Promise<TaskNews> {
  const request = (method: string, more: object = {}) =>
    requestAbout(connection, method, { taskId, ...more }, signal);
  try {
    if (Object.keys(answers).length > 0) await request('tasks/update', { inputResponses: answers });
    for (let inVain = 0; ;) {
      const looked = await request('tasks/get').then(Task.parse, (error: unknown) => {
        if (errorFields(error).name !== 'McpUnavailable' || ++inVain > LOOKS_IN_VAIN) throw error;
      });
      if (looked === undefined) {
        await sleep(USUAL_MS * inVain, undefined, { signal });
        continue;
      }
      inVain = 0;
      const { status, statusMessage, pollIntervalMs = USUAL_MS, result, error } = looked;
      if (status === 'completed') return { type: 'ended', result };
      const requests = Object.entries(looked.inputRequests ?? {}).filter(([key]) => !told.includes(key));
      if (status === 'input_required' && requests.length > 0)
        return { type: 'asks', requests: Object.fromEntries(requests) };
      if (status === 'failed' || status === 'cancelled') {
        await checkpoint(null);
        const why = error?.message ?? statusMessage ?? `the server has ${status} the task`;
        throw Object.assign(new Error(connection.hide(why)), { name: 'McpError', code: error?.code });
      }
      if (statusMessage !== undefined) progress(statusMessage);
      const waitMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, pollIntervalMs));
      await sleep(waitMs, undefined, { signal });
    }
  } catch (error) {
    signal.throwIfAborted();
    // The task was started: a request about it that was not made says nothing about the call.
    if (errorFields(error).name !== 'McpUnavailable') throw error;
    throw new ServiceError('ToolConnectionError', errorFields(error).message, { retryable: true });
  }
}

/** Cancels the task that the last checkpoint of a call names. Throws ServiceError, not to be tried again, where the server refuses to. */
export async function cancelTask(
  connection: McpConnection,
  { lastCheckpoint, signal }: Pick<ToolContext, 'lastCheckpoint' | 'signal'>,
): Promise<void> {
  const { task } = fieldsOf(lastCheckpoint);
  if (typeof task !== 'string') return;
  try {
    await requestAbout(connection, 'tasks/cancel', { taskId: task }, signal);
  } catch (error) {
    const complaint = complaintOfInput(error);
    if (complaint === undefined) throw error;
    const message = `MCP server ${connection.name} does not cancel task ${task}: ${complaint}`;
    throw new ServiceError('ToolBadResponse', message, { retryable: false });
  }
}

function requestAbout(
  connection: McpConnection,
  method: string,
  params: { taskId: string },
  signal: AbortSignal,
): Promise<unknown> {
  return connection.use(
    (client) => client.request({ method, params: { ...params } }, z.unknown(), { signal }),
    signal,
  );
}
