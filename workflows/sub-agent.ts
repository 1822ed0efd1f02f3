import { ParentClosePolicy, executeChild, sleep, workflowInfo } from '@temporalio/workflow';
import { withoutSchedule } from '../agent/calls.ts';
import { budgetLeft } from '../agent/counters.ts';
import type { RunResult } from '../agent/run-result.ts';
import { asText, type Json } from '../agent/vocabulary.ts';
import { AGENT_RUN, type AgentRunInput, runLabels } from './messages.ts';
import { ReloopAgent, fixedAttributes } from './run-attributes.ts';
import { isAlreadyStarted, runFailure } from './run-failure.ts';
import { orItsSuccessor } from './child-successor.ts';
import type { AgentLoop } from './agent-loop.ts';

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
  const insteadOf = callBefore(id);
  const more = {
    parentBudget,
    done: done.length === 0 ? undefined : [...done],
    insteadOf: insteadOf && `${workflowInfo().workflowId}/${insteadOf}`,
  };
  const run = () =>
    executeChild<(input: AgentRunInput) => Promise<RunResult>>(AGENT_RUN, {
      workflowId,
      args: [{ agent, question, root, caller: id, ...more }],
      // A parent that is terminated leaves no orphans; one that is cancelled waits for them.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      ...runLabels(agent, question.input),
      ...attributesOf(loop, agent),
    });
  return orItsSuccessor(workflowId, loop.restarted ? onceItsIdIsFree(run) : run());
}

/** The server knows those of this run. */
function attributesOf({ manifest }: AgentLoop, agent: string) {
  const areKnown = workflowInfo().typedSearchAttributes.get(ReloopAgent) !== undefined;
  if (manifest.loopVersion < 5 || !areKnown) return {};
  return { typedSearchAttributes: fixedAttributes(agent) };
}

/** `1.1~2` was `1.1~1` before: what that run did with an effect, this one does not do again unasked. */
function callBefore(id: string): string | undefined {
  const [call, n] = id.split('~');
  if (call === undefined || n === undefined) return undefined;
  return Number(n) > 1 ? `${call}~${Number(n) - 1}` : call;
}

/** Waits between looks at whether the sub-agent of the run before has ended: it was asked to, and may take its time. */
const WAITS_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** A sub-agent of the run whose place this one has taken may still be closing under the same id. */
async function onceItsIdIsFree<T>(run: () => Promise<T>): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await run();
    } catch (failure) {
      if (!isAlreadyStarted(failure)) throw failure;
      await sleep(wait, { summary: 'the sub-agent of the run before is still ending' });
    }
  }
  return run();
}
