import { ParentClosePolicy, executeChild, workflowInfo } from '@temporalio/workflow';
import { budgetLeft } from '../agent/counters.ts';
import type { RunResult } from '../agent/run-result.ts';
import { asText, type Json } from '../agent/vocabulary.ts';
import { AGENT_RUN, type AgentRunInput, runLabels } from './messages.ts';
import { runFailure } from './run-failure.ts';
import type { AgentLoop } from './agent-loop.ts';

/** Agents that call one another, at most so deep. */
const MAX_DEPTH = 8;

/**
 * Runs another agent as a tool: a child workflow whose id is this run's id and the call's. The parent's own limits hold
 * for it too, because they cancel it, and it may use up what is left of the parent's budget; `root` makes the idempotency
 * keys of its calls its own.
 */
export function runSubAgent(loop: AgentLoop, agent: string, id: string, input: Json): Promise<RunResult> {
  const root = `${loop.root}/${id.replace(/~\d+$/u, '')}`;
  if (root.split('/').length > MAX_DEPTH) {
    const message = `Agents call one another ${MAX_DEPTH} deep here. Is there an agent among its own tools?`;
    throw runFailure({ type: 'SubAgentTooDeep', message });
  }
  loop.pause.childBegins(id);
  const question = { input: asText(input), chatHistory: [] };
  const parentBudget = budgetLeft(loop.manifest, loop.counters);
  return executeChild<(input: AgentRunInput) => Promise<RunResult>>(AGENT_RUN, {
    workflowId: `${workflowInfo().workflowId}/${id}`,
    args: [{ agent, question, root, caller: id, parentBudget }],
    // A parent that is terminated leaves no orphans; one that is cancelled waits for them.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    ...runLabels(agent, question.input),
  });
}
