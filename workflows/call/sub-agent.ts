import {
  CancellationScope,
  CancelledFailure,
  ParentClosePolicy,
  getExternalWorkflowHandle,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { activityId, parseActivityId, withoutSchedule } from '../../agent/calls/calls.ts';
import { budgetLeft } from '../../agent/limits/counters.ts';
import type { RunResult } from '../../agent/run/run-result.ts';
import { asText, type Json } from '../../agent/values/vocabulary.ts';
import { AGENT_RUN, type AgentRunInput, runLabels } from '../messages.ts';
import { ReloopAgent, fixedAttributes } from '../web-ui/run-attributes.ts';
import { runFailure } from '../temporal/run-failure.ts';
import type { AgentLoop } from '../run/agent-loop.ts';

/** Agents that call one another, at most so deep. */
const MAX_DEPTH = 8;

/**
 * Runs another agent as a tool: a child workflow whose id is this run's id and the call's. The parent's own limits hold
 * for it too, because they cancel it, and it may use up what is left of the parent's budget; `root` makes the idempotency
 * keys of its calls its own.
 */
export function runSubAgent(loop: AgentLoop, agent: string, id: string, input: Json): Promise<RunResult> {
  const { done } = loop;
  const root = `${loop.root}/${withoutSchedule(id)}`;
  if (root.split('/').length > MAX_DEPTH) {
    const message = `Agents call one another ${MAX_DEPTH} deep here. Is there an agent among its own tools?`;
    throw runFailure({ type: 'SubAgentTooDeep', message });
  }
  loop.pause.childBegins(id);
  const question = { input: asText(input), chatHistory: [] };
  const workflowId = `${workflowInfo().workflowId}/${id}`;
  const parentBudget = budgetLeft(loop.manifest, loop.counters);
  const insteadOf = callBefore(id, loop.firstN);
  const more = {
    parentBudget,
    done: done.length === 0 ? undefined : [...done],
    insteadOf: insteadOf && `${workflowInfo().workflowId}/${insteadOf}`,
  };
  return untilOver(workflowId, () =>
    startChild<(input: AgentRunInput) => Promise<RunResult>>(AGENT_RUN, {
      workflowId,
      args: [{ agent, question, root, caller: id, ...more }],
      // A parent that is terminated leaves no orphans; one that is cancelled waits for them.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      ...runLabels(agent, question.input),
      ...attributesOf(agent),
    }),
  );
}

/**
 * The result of a child. The SDK cancels a child by the id of its first run, which is over once it has continued as new: the server
 * drops that request. This one goes to the workflow, whichever run it has come to.
 */
async function untilOver<T>(workflowId: string, start: () => Promise<{ result(): Promise<T> }>): Promise<T> {
  const { consideredCancelled, cancelRequested } = CancellationScope.current();
  if (consideredCancelled) throw new CancelledFailure('The call was cancelled');
  return CancellationScope.nonCancellable(async () => {
    const child = await start();
    const cancel = () => getExternalWorkflowHandle(workflowId).cancel();
    cancelRequested.catch(() => cancel().catch(() => undefined)); // it may be over
    return child.result();
  });
}

/** The server knows those of this run. */
function attributesOf(agent: string) {
  const areKnown = workflowInfo().typedSearchAttributes.get(ReloopAgent) !== undefined;
  return areKnown ? { typedSearchAttributes: fixedAttributes(agent) } : {};
}

/** `1.1~2` was `1.1~1` before: what that run did with an effect, this one does not do again unasked. */
function callBefore(id: string, firstN: number): string | undefined {
  const { scope = 0, call = '', n = 0 } = parseActivityId(id) ?? {};
  return n > firstN ? activityId(scope, call, n - 1) : undefined;
}
