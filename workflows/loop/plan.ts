import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import { type CallModelInput, type ModelTurn, activityId } from '../../agent/calls/calls.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import { askTimeoutOf } from '../../agent/rules/waiting.ts';
import type { Ending } from '../../agent/run/call-state.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { type ErrorInfo, addUsage, asText } from '../../agent/values/vocabulary.ts';
import { modelOptions, summaryOf } from '../temporal/activity-options.ts';
import { type AgentLoop, withModelCall } from '../run/agent-loop.ts';
import type { Inbox } from '../operator/inbox.ts';
import type { OpenCall } from '../operator/open-call.ts';
import { endOfAttempt, runFailure } from '../temporal/run-failure.ts';
import { append, delivered, nextCall } from '../run/transcript.ts';

/** Asks the model what to do next; undefined when the run's time limit cut the call. A failure is the run's, with the cause's type. */
export async function plan(loop: AgentLoop): Promise<ModelTurn | undefined> {
  try {
    return await askModel(loop, {});
  } catch (failure) {
    const { deadline, scopeAround } = loop;
    if (deadline.passed && isCancellation(failure) && !scopeAround.consideredCancelled) return undefined;
    throw failure;
  }
}

/** A limit was reached: asks the model for its answer. */
export function planClosing(loop: AgentLoop): Promise<ModelTurn> {
  return askModel(loop, { closing: true });
}

type More = Pick<CallModelInput, 'closing'>;

/** Makes one model call until there is a reply. A failure that may pass waits for a person, if the agent says so. */
function askModel(loop: AgentLoop, more: More): Promise<ModelTurn> {
  return withModelCall(loop, undefined, async (open) => {
    for (let reply: string | undefined; ;) {
      if (loop.pause.isOn) await loop.pause.over();
      const fromMs = Date.now();
      try {
        return await callModel(loop, open, { ...more, reply });
      } catch (caught) {
        const failure = endOfAttempt(caught);
        if (isCancellation(failure)) throw failure;
        const failed = readFailure(failure);
        open.apply({ type: 'failed', failed, ms: Date.now() - fromMs });
        if (!mayAsk(loop, failed)) throw runFailure(failed.error);
        await open.wait({ reason: 'failed', done: [] }, { timeout: askTimeoutOf(loop.manifest, undefined) });
        reply = replyAfter(open.now.last, failed.error);
      }
    }
  });
}

/** A person's reply; undefined: ask the model again. */
function replyAfter(last: Ending | undefined, error: ErrorInfo): string | undefined {
  switch (last?.type) {
    case 'replied':
      return asText(last.reply);
    case 'aborted':
      throw runFailure(last.error);
    case 'unanswered':
      throw unansweredModel(error);
    default:
      return undefined;
  }
}

/** There is nothing that the model could be told. */
function unansweredModel({ message }: ErrorInfo): Error {
  const text = `Nobody decided in time on a model call that had failed: ${message}`;
  return runFailure({ type: 'Unanswered', message: text });
}

/** After the deadline nobody is asked any more. */
function mayAsk({ manifest, deadline }: AgentLoop, { mayPass }: FailedCall): boolean {
  return manifest.onModelFailure === 'ask' && mayPass && !deadline.passed;
}

interface ModelActivity {
  callModel(input: CallModelInput): Promise<ModelTurn>;
}

async function callModel(loop: AgentLoop, open: OpenCall, more: Partial<CallModelInput>): Promise<ModelTurn> {
  const { scope, manifest, transcript, counters, deadline, inbox } = loop;
  const n = open.now.nextN;
  loop.lastStep = counters.iterations + 1;
  const step = String(loop.lastStep);
  const activities = proxyActivities<ModelActivity>({
    activityId: activityId(scope, step, n),
    summary: more.closing === true ? 'the answer, at the limit' : `step ${step}${madeBefore(loop)}`,
    ...modelOptions(manifest),
  });
  if (!inbox.isEmpty) append(transcript, saidEntries(inbox));
  const { repeat } = counters;
  const made = makesCalls(loop) ? { root: loop.root, firstN: loop.firstN || undefined } : {};
  const input = { ...nextCall(transcript), repeat, ...made, ...more };
  const fromMs = Date.now();
  open.apply({ type: 'scheduled', n });
  const turn =
    more.closing === true
      ? await activities.callModel(input)
      : await deadline.within(new CancellationScope(), () => activities.callModel(input));
  const { attempt: attempts } = turn;
  open.apply({ type: 'replied', turn, attempts, ms: Date.now() - fromMs, closing: more.closing });
  delivered(transcript, turn.digest);
  counters.usage = addUsage(counters.usage, turn.usage);
  if (turn.repeat !== undefined) counters.repeat = turn.repeat;
  return turn;
}

/** Whether the model's activity may make calls: a backtest's are answered from the recording. */
function makesCalls({ manifest, recorded }: AgentLoop): boolean {
  return recorded === undefined && manifest.tools.some(({ inline }) => inline === true);
}

/** Calls that had no activity of their own stand on the Web UI's timeline with the model call that is told of them. */
function madeBefore({ transcript, manifest }: AgentLoop): string {
  const inline = new Set(manifest.tools.flatMap((tool) => (tool.inline === true ? tool.name : [])));
  if (inline.size === 0) return '';
  const calls = transcript.pending.flatMap((entry) =>
    entry.type === 'step' && inline.has(entry.action.tool)
      ? `${entry.action.tool} ${summaryOf(entry.action.toolInput)}`
      : [],
  );
  return calls.length === 0 ? '' : ` after ${summaryOf(calls.join(', '))}`;
}

function saidEntries(inbox: Inbox): Entry[] {
  return inbox.take().map((text) => ({ type: 'message', text }));
}
