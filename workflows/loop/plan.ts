import { ApplicationFailure, CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import {
  type CallModelInput,
  type FailureDetails,
  type ModelTurn,
  activityId,
} from '../../agent/calls/calls.ts';
import { BUDGET_USED_UP } from '../../agent/budgets/budget-rule.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import { foreignTurn, readModelTurn } from '../../agent/calls/model-turn.ts';
import { stopMessage } from '../../agent/limits/stop-message.ts';
import { askTimeoutOf } from '../../agent/rules/waiting.ts';
import type { Ending } from '../../agent/run/call-state.ts';
import { type PromptSize, grown, isCompactionDue } from '../../agent/transcript/compaction.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { type ErrorInfo, addUsage, asText } from '../../agent/values/vocabulary.ts';
import { modelOptions, summaryOf } from '../temporal/activity-options.ts';
import { type AgentLoop, nextCallOf, withModelCall } from '../run/agent-loop.ts';
import type { Inbox } from '../operator/inbox.ts';
import { type LoopEnd, endWith } from './loop-end.ts';
import type { OpenCall } from '../operator/open-call.ts';
import { normalizeCancellation, runFailure } from '../temporal/run-failure.ts';
import { appendLateResults } from '../run/late-results.ts';
import { append, delivered, modelCallInput } from '../run/transcript.ts';

/**
 * Makes the next model call: for the next turn, or for a summary of the old turns if the prompt would get too long. Returns the run's end if
 * a budget stops it; undefined if the run's time limit cut the call. A failure of the call fails the run, with the cause's type.
 */
export async function plan(loop: AgentLoop): Promise<ModelTurn | LoopEnd | undefined> {
  const isDue = isCompactionDue(loop.manifest.compaction, nextSize(loop));
  try {
    return await askModel(loop, isDue ? { compact: true } : {});
  } catch (failure) {
    const { deadline, stepsScope, manifest, counters } = loop;
    if (failure instanceof BudgetStop) {
      return endWith(loop, stopMessage(manifest, counters, 'budget'), 'budget');
    }
    if (deadline.passed && isCancellation(failure) && !stepsScope.consideredCancelled) return undefined;
    throw failure;
  }
}

/** Returns the size of the next prompt, with the results of background calls that it will carry; undefined if it is not known. */
function nextSize({ background, counters: { size } }: AgentLoop): PromptSize | undefined {
  const late = background.results.map(({ entry }) => entry);
  return size === undefined ? undefined : grown(size, late);
}

/** Asks the model for its answer, after a limit was reached. Returns undefined if a budget stops the run. */
export async function planClosing(loop: AgentLoop): Promise<ModelTurn | undefined> {
  try {
    return await askModel(loop, { closing: true });
  } catch (failure) {
    if (failure instanceof BudgetStop) return undefined;
    throw failure;
  }
}

/** A model call did not fit in a budget that stops runs (`onEnd: 'stop'`). */
class BudgetStop extends Error {}

/** Reason of a model call. Neither: the next turn. */
type CallPurpose = Pick<CallModelInput, 'closing' | 'compact'>;

/** Makes one model call, again after failures, until there is a reply. A temporary failure waits for a person, if the agent has `onModelFailure: 'ask'`. */
function askModel(loop: AgentLoop, options: CallPurpose): Promise<ModelTurn> {
  return withModelCall(loop, options, async (open) => {
    for (let reply: string | undefined; ;) {
      if (loop.pause.isOn) await loop.pause.over();
      const fromMs = Date.now();
      try {
        return await callModel(loop, open, { ...options, reply });
      } catch (caught) {
        const failure = normalizeCancellation(caught);
        if (isCancellation(failure)) throw failure;
        const failed = readFailure(failure);
        open.apply({ type: 'failed', failed, ms: Date.now() - fromMs });
        if (failed.error.type === BUDGET_USED_UP && !failed.mayPass) throw new BudgetStop();
        if (!mayAsk(loop, failed)) throw runFailure(failed.error);
        await open.wait({ reason: 'failed', done: [] }, { timeout: askTimeoutOf(loop.manifest, undefined) });
        reply = replyAfter(open.now.last, failed.error);
      }
    }
  });
}

/** Returns the reply that a person gave; undefined if the model is asked again. */
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

/** Makes the failure of a run whose model call waited too long for a decision. */
function unansweredModel({ message }: ErrorInfo): Error {
  const text = `Nobody decided in time on a model call that had failed: ${message}`;
  return runFailure({ type: 'Unanswered', message: text });
}

/** Returns true if a person may be asked about the failure. After the time limit no person is asked. */
function mayAsk({ manifest, deadline }: AgentLoop, { mayPass }: FailedCall): boolean {
  return manifest.onModelFailure === 'ask' && mayPass && !deadline.passed;
}

interface ModelActivity {
  /** An operator can complete the activity with any JSON. */
  callModel(input: CallModelInput): Promise<unknown>;
}

async function callModel(
  loop: AgentLoop,
  open: OpenCall,
  options: Partial<CallModelInput>,
): Promise<ModelTurn> {
  const { scope, manifest, transcript, counters, deadline } = loop;
  const { closing, compact } = options;
  const n = open.now.nextN;
  const id = activityId(scope, nextCallOf(loop, options), n);
  loop.trace?.attach(id, open.id);
  const activities = proxyActivities<ModelActivity>({
    activityId: id,
    summary: summaryFor(loop, options),
    ...modelOptions(manifest),
  });
  if (compact !== true) beginStep(loop);
  const { repeat, size, count } = counters;
  const inline = makesInlineCalls(loop) ? { root: loop.root, firstN: loop.firstN || undefined } : {};
  const input = { ...modelCallInput(transcript), repeat, size, count, ...inline, ...options };
  const fromMs = Date.now();
  open.apply({ type: 'scheduled', n });
  const result =
    closing === true
      ? await activities.callModel(input)
      : await deadline.within(new CancellationScope(), () => activities.callModel(input));
  const turn = readModelTurn(result);
  if (turn === undefined) throw foreignResult();
  const { attempt: attempts } = turn;
  open.apply({ type: 'replied', turn, attempts, ms: Date.now() - fromMs, closing });
  if (compact !== true) delivered(transcript, turn.digest);
  counters.usage = addUsage(counters.usage, turn.usage);
  if (turn.repeat !== undefined) counters.repeat = turn.repeat;
  if (turn.size !== undefined) counters.size = turn.size;
  if (turn.count !== undefined) counters.count = turn.count;
  return turn;
}

/** Makes the failure of a model call that has no reply as its result. It can be retried, as after used-up attempts. */
function foreignResult(): Error {
  const details: FailureDetails[] = [{ exhausted: true }];
  return ApplicationFailure.create({ ...foreignTurn.error, details, nonRetryable: true });
}

/** Adds the messages that the step's model call will carry. */
function beginStep(loop: AgentLoop): void {
  const { transcript, counters, inbox } = loop;
  loop.lastStep = counters.iterations + 1;
  appendLateResults(loop);
  if (!inbox.isEmpty) append(transcript, messageEntries(inbox));
}

function summaryFor(loop: AgentLoop, { closing, compact }: CallPurpose): string {
  const step = loop.counters.iterations + 1;
  if (compact === true) return `compaction before step ${step}`;
  return closing === true ? 'the answer, at the limit' : `step ${step}${inlineCallsBefore(loop)}`;
}

/** Returns true if the model call's activity may run inline tools. In a backtest the recording answers the calls. */
function makesInlineCalls({ manifest, recorded }: AgentLoop): boolean {
  return recorded === undefined && manifest.tools.some(({ inline }) => inline === true);
}

/** Describes inline calls, which have no activity on the Web UI's timeline, in the summary of the model call after them. */
function inlineCallsBefore({ transcript, manifest }: AgentLoop): string {
  const inline = new Set(manifest.tools.flatMap((tool) => (tool.inline === true ? tool.name : [])));
  if (inline.size === 0) return '';
  const calls = transcript.pending.flatMap((entry) =>
    entry.type === 'step' && inline.has(entry.action.tool)
      ? `${entry.action.tool} ${summaryOf(entry.action.toolInput)}`
      : [],
  );
  return calls.length === 0 ? '' : ` after ${summaryOf(calls.join(', '))}`;
}

function messageEntries(inbox: Inbox): Entry[] {
  return inbox.take().map((text) => ({ type: 'message', text }));
}
