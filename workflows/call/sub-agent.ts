import { ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import { activityId, parseActivityId, withoutSchedule } from '../../agent/calls/calls.ts';
import { budgetLeft } from '../../agent/limits/counters.ts';
import type { RunResult } from '../../agent/run/run-result.ts';
import { asText, type Json } from '../../agent/values/vocabulary.ts';
import { AGENT_RUN, ownershipIn, runLabels } from '../messages.ts';
import { childResult } from '../temporal/child-result.ts';
import { childAttributes } from '../web-ui/run-attributes.ts';
import { runFailure } from '../temporal/run-failure.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Limit for sub-agents of sub-agents. */
const MAX_DEPTH = 8;

/**
 * Runs another agent as a tool, in a child workflow. The child's workflow id is the parent's id and the call's id. The parent's limits
 * also limit the child, because the parent cancels the child at a limit. The child may use the rest of the parent's budget. `root` is part
 * of the idempotency keys of the child's calls, so that the keys differ from the parent's. `trace`: `traceparent` of the call's span.
 */
export function runSubAgent(
  loop: AgentLoop,
  agent: string,
  id: string,
  input: Json,
  trace: string | undefined,
): Promise<RunResult> {
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
  const insteadOf = previousSchedule(id, loop.firstN);
  const { context, tenant, priority } = loop.manifest;
  const inherited = {
    parentBudget,
    overrides: (context ?? tenant ?? priority) === undefined ? undefined : { context, tenant, priority },
    done: done.length === 0 ? undefined : [...done],
    insteadOf: insteadOf && `${workflowInfo().workflowId}/${insteadOf}`,
    trace,
  };
  return childResult(workflowId, () =>
    startChild<(input: AgentRunInput) => Promise<RunResult>>(AGENT_RUN, {
      workflowId,
      args: [{ agent, question, root, caller: id, ...inherited }],
      // If the parent is terminated, the server cancels the child. If the parent is cancelled, the parent waits for the child.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      ...runLabels(agent, question.input, {}, ownershipIn(workflowInfo().memo)),
      ...childAttributes({ agent }),
    }),
  );
}

/** Returns the id of the call's previous schedule: `1.1~1` for `1.1~2`. The child asks a person before it repeats an effect of that run. */
function previousSchedule(id: string, firstN: number): string | undefined {
  const { scope = 0, call = '', n = 0 } = parseActivityId(id) ?? {};
  return n > firstN ? activityId(scope, call, n - 1) : undefined;
}
