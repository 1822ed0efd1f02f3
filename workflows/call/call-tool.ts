import { isCancellation } from '@temporalio/workflow';
import type { InlineCall } from '../../agent/calls/calls.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import { approvedBy } from '../../agent/rules/approval.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import { askTimeoutOf } from '../../agent/rules/waiting.ts';
import type { Call, WaitFact } from '../../agent/run/call-state.ts';
import { type CallContext, type NextAction, nextAction } from '../../agent/run/next-action.ts';
import { waitAbout } from '../../agent/run/call-wait.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { addUsage } from '../../agent/values/vocabulary.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { waitedFor } from '../run/background-control.ts';
import { backtestCannotAsk } from '../run/recorded-call.ts';
import { normalizeCancellation, runFailure } from '../temporal/run-failure.ts';
import { type TurnCall, cancelElsewhere, isMade, isRunEnding, scheduleOnce } from './schedule-once.ts';

export interface EndedCall {
  end: CallEnd;
  /** Reference to the recorded result. */
  result: ResultRef | undefined;
}

/** Opens a planned call for the operator's gate. {@link callTool} closes it. */
export function openTool(loop: AgentLoop, planned: Call): OpenCall {
  const { inputSchema, approvers } = toolOf(planned);
  return loop.control.open(planned, {
    inputSchema,
    approvers,
    clock: loop.deadline,
    emit: loop.emit,
    onUsed: (usage) => (loop.counters.usage = addUsage(loop.counters.usage, usage)),
  });
}

function toolOf({ tool }: Call): ToolManifest {
  if (tool === undefined) throw new Error('unreachable: the action names no known tool');
  return tool;
}

/**
 * Makes one tool call: schedules the tool and asks people, as the rules say, until the call has a result. `call`: `3.1`. `inlineCall`: the
 * first attempt, made by the model call's activity. Throws when the run fails or is cancelled.
 */
export async function callTool(
  loop: AgentLoop,
  open: OpenCall,
  call: string,
  inlineCall: InlineCall | undefined,
): Promise<EndedCall> {
  const tool = toolOf(open.now);
  const turnCall: TurnCall = { tool, call, open, inlineCall };
  let result: ResultRef | undefined;
  try {
    if (tool.controls === true) await waitedFor(loop, open);
    for (;;) {
      const action: NextAction = isMade(turnCall)
        ? { do: 'schedule' }
        : nextAction(open.now, contextOf(loop));
      switch (action.do) {
        case 'end':
          return { end: action.end, result };
        case 'fail':
          throw runFailure(action.error);
        case 'ask':
          await ask(loop, turnCall, action);
          continue;
        case 'nothing':
          throw new Error('unreachable: nothing is under way');
        default:
          if (loop.pause.isOn) await loop.pause.over();
          else result = await scheduleOnce(loop, turnCall, action.do === 'reconcile');
      }
    }
  } finally {
    loop.control.close(open);
    open.close();
    if (open.now.elsewhere !== undefined) await cancelElsewhere(loop, turnCall, open.now.elsewhere);
  }
}

/** Returns the state of the run that a call's next action depends on. */
export function contextOf({ deadline, counters, done }: AgentLoop): CallContext {
  return { overdue: deadline.passed, nowMs: Date.now(), approved: counters.approved, done };
}

async function ask(
  loop: AgentLoop,
  { tool, open }: TurnCall,
  { reason, until }: Extract<NextAction, { do: 'ask' }>,
): Promise<void> {
  const { manifest, counters, done } = loop;
  const fact: WaitFact = { reason, until, done };
  if (loop.recorded !== undefined)
    throw backtestCannotAsk(tool.name, { reason, ...waitAbout(open.now, fact) });
  if (until !== undefined) return waitForLostAttempt(loop, open, fact);
  const decision = await open.wait(fact, { timeout: askTimeoutOf(manifest, tool) });
  const approved = approvedBy(decision, open.now.action, counters.approved);
  if (approved !== undefined) counters.approved = approved;
}

/** Waits until the lost attempt must have ended, a person decides, or the run's time limit passes. */
async function waitForLostAttempt(loop: AgentLoop, open: OpenCall, fact: WaitFact): Promise<void> {
  const scope = open.newScope();
  try {
    await loop.deadline.within(scope, () => open.wait(fact));
  } catch (caught) {
    const failure = normalizeCancellation(caught);
    if (!isCancellation(failure) || isRunEnding(loop, scope)) throw failure;
  }
}
