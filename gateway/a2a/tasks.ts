import type { Message, SendMessageRequest } from '@a2a-js/sdk';
import { isOpenStatus, RunNotFound, SessionNotFound } from '../../client/index.ts';
import { unless } from '../../client/connect/errors.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { demand } from '../http/caller.ts';
import { Refused } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { bad } from '../http/read-body.ts';
import { ownRun, ownSession } from '../start/own-runs.ts';
import { recordedName } from '../http/tenant.ts';
import { decideAll } from '../start/decide-all.ts';
import { type StartedRun, startRun } from '../start/start-run.ts';
import type { Task, TaskUpdate } from './a2a-types.ts';
import { readQuestion, readReply } from './read-message.ts';
import { isOver, submittedTask, taskOf } from './task.ts';
import { contextOf, newTask, sessionOf } from './task-ids.ts';
import { taskStream } from './task-stream.ts';

/** The operations of A2A on tasks. All throw Refused and the errors of the client. */

/** Starts a task, or replies to one. Unless the client does not wait, resolves when the task is over or asks, or with the signal. */
export async function sendMessage(
  request: ProtocolRequest,
  sent: SendMessageRequest,
  signal: AbortSignal,
): Promise<Task> {
  const run = await startOrReply(request, sent);
  const updates = taskStream(request, run, { until: 'asking', signal });
  if (sent.configuration?.returnImmediately !== true) for await (const _ of updates);
  return taskNow(request, run.id);
}

/** The same as a stream, which ends with the task, or when the task asks. */
export async function* streamMessage(
  request: ProtocolRequest,
  sent: SendMessageRequest,
  signal: AbortSignal,
): AsyncGenerator<TaskUpdate> {
  yield* taskStream(request, await startOrReply(request, sent), { until: 'asking', signal });
}

export async function getTask(request: ProtocolRequest, id: string): Promise<Task> {
  demand(request.caller, 'POST /a2a/:agent GetTask');
  return taskNow(request, id);
}

/** Streams a task that is not over, from its present state on. */
export async function* subscribe(
  request: ProtocolRequest,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<TaskUpdate> {
  demand(request.caller, 'POST /a2a/:agent SubscribeToTask');
  const task = await taskNow(request, id);
  if (isOver(task))
    throw new Refused(409, 'TaskOver', `Task ${id} has ended: read the task, not its updates.`);
  const hasBegun = task.status.state !== 'TASK_STATE_SUBMITTED';
  yield* taskStream(request, { id, hasBegun }, { until: 'next question', signal });
}

/** A run ends at once when it is cancelled, unless a tool takes its time. */
const CANCEL_MS = 5000;

export async function cancelTask(request: ProtocolRequest, id: string): Promise<Task> {
  demand(request.caller, 'POST /a2a/:agent CancelTask');
  const task = await taskNow(request, id);
  const { state } = task.status;
  if (isOver(task) || state === 'TASK_STATE_SUBMITTED') {
    const why = isOver(task) ? 'is over' : 'waits for its turn in the context';
    throw new Refused(409, 'TaskNotCancelable', `Task ${id} ${why}.`);
  }
  const run = request.client.get(id);
  await run.cancel();
  await withTimeLimit(CANCEL_MS, request.request.signal, async (signal) => {
    for await (const _ of run.events({ live: false, signal }));
  });
  return taskNow(request, id);
}

/** `ROLE_USER` of the SDK's enum, and 0 for a message without a role. */
const ROLES_OF_CLIENTS: readonly number[] = [0, 1];

async function startOrReply(
  request: ProtocolRequest,
  { message, configuration }: SendMessageRequest,
): Promise<StartedRun> {
  const use = (message?.taskId ?? '') === '' ? 'SendMessage' : 'SendMessage taskId';
  demand(request.caller, `POST /a2a/:agent ${use}`);
  if (message === undefined || message.messageId === '')
    throw bad('message: it needs parts and a messageId.');
  if (!ROLES_OF_CLIENTS.includes(message.role)) throw bad('message: its role is ROLE_USER.');
  if (configuration?.taskPushNotificationConfig !== undefined) throw noPushNotifications();
  return message.taskId === '' ? start(request, message) : reply(request, message);
}

async function start(request: ProtocolRequest, message: Message): Promise<StartedRun> {
  const { caller, params } = request;
  const { agent = '' } = params;
  const input = readQuestion(message.parts);
  const task = newTask(caller, agent, message);
  return startRun(request, { ...task, agent, input, isRepeatable: true });
}

/** A reply may be sent again, as `decideAll` says, if its decisions name their waits. */
async function reply(
  { client, caller, params }: ProtocolRequest,
  { taskId: id, contextId, parts }: Message,
): Promise<StartedRun> {
  const run = await ownRun({ client, caller }, id, params['agent']);
  const context = contextOf(caller, id);
  if (contextId !== '' && recordedName(caller, contextId) !== recordedName(caller, context)) {
    throw bad(`Task ${id} belongs to the context ${context}.`);
  }
  const { status, waiting } = await run.describe();
  const read = readReply(parts, waiting);
  const isRepeatable = read.type === 'decide' && read.decisions.every(({ wait }) => wait !== undefined);
  if (!isOpenStatus(status) && !isRepeatable) {
    throw new Refused(
      409,
      'TaskOver',
      `Task ${id} is over. A message with its contextId alone starts another.`,
    );
  }
  if (read.type === 'say') await run.say(read.text);
  else await decideAll({ client, caller }, run, read.decisions);
  return { id, hasBegun: true };
}

/** Throws RunNotFound. */
async function taskNow(request: ProtocolRequest, id: string): Promise<Task> {
  const context = contextOf(request.caller, id);
  const report = await unless(
    RunNotFound,
    ownRun(request, id, request.params['agent']).then((run) => run.describe()),
  );
  if (report !== undefined) return taskOf(report, context);
  const session = sessionOf(id);
  const found =
    session &&
    (await unless(
      SessionNotFound,
      ownSession(request, session).then((own) => own.describe()),
    ));
  if (!found || (found.running !== id && !found.queued.includes(id))) throw new RunNotFound(id);
  return submittedTask(id, context);
}

export function noPushNotifications(): Refused {
  return new Refused(
    409,
    'PushNotificationNotSupported',
    'There are no push notifications of A2A: the webhooks of the config announce runs.',
  );
}
