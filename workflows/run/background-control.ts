import { condition, workflowInfo } from '@temporalio/workflow';
import { activityId } from '../../agent/calls/calls.ts';
import type { ControlReport } from '../../agent/background/control-report.ts';
import { readControl } from '../../agent/background/background-input.ts';
import {
  type TicketOf,
  ticketHasJustBegun,
  ticketIsCancelled,
  ticketIsDecided,
  ticketIsInDoubt,
  ticketIsOver,
  ticketIsUnderWay,
  ticketWaits,
  unknownTicket,
  waitEndedEarly,
} from '../../agent/background/background-texts.ts';
import { CANCEL_BY_MODEL } from '../../agent/rules/decisions.ts';
import { needsPerson } from '../../agent/rules/waiting.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { AgentLoop } from './agent-loop.ts';
import type { BackgroundCall } from './background-calls.ts';

/**
 * Waits for the end of the background call that the model waits for. Its wait for a person, a message of a person, the run's time limit, and a
 * person who cancels the model's own call end it too. Resolves at once for other inputs. Throws CancelledFailure.
 */
export async function waitedFor({ background, inbox, deadline }: AgentLoop, open: OpenCall): Promise<void> {
  const { action, ticket = '' } = readControl(open.now.action.toolInput) ?? {};
  if (action !== 'wait') return;
  await Promise.resolve(); // a later call of the same turn may be the one that is waited for
  const call = background.find(ticket);
  if (call === undefined) return;
  const isHeldUp = () => call.open.waits.some(needsPerson) || !inbox.isEmpty;
  const isCut = () => deadline.passed || open.now.cancelled !== undefined;
  await condition(() => call.isOver || isHeldUp() || isCut());
}

/** Does what the model wants of a background call, as its call of the tool is scheduled. undefined: the input does not fit the tool. */
export function controlCall(loop: AgentLoop, { now }: OpenCall): ControlReport | undefined {
  const { action, ticket = '' } = readControl(now.action.toolInput) ?? {};
  if (action === undefined) return undefined;
  const call = loop.background.find(ticket);
  if (call === undefined) return { text: unknownTicket(loop.background.all.map(ticketOf)) };
  switch (action) {
    case 'ask':
      return { text: stateText(call), progressOf: progressOf(loop, call) };
    case 'wait':
      return { text: loop.inbox.isEmpty || call.isOver ? stateText(call) : waitEndedEarly(stateText(call)) };
    case 'cancel':
      return cancel(loop, call);
  }
}

function cancel({ counters }: AgentLoop, call: BackgroundCall): ControlReport {
  const { open, isOver, iteration } = call;
  const { wait, underWay } = open.now;
  if (isOver || open.now.cancelled !== undefined) return { text: stateText(call) };
  // Temporal drops a call that is scheduled and cancelled in one task, and the history shows nothing of it.
  if (iteration === counters.iterations) return { text: ticketHasJustBegun(ticketOf(call)) };
  if (wait?.reason === 'doubt' || underWay === 'reconcile') return { text: ticketIsInDoubt(ticketOf(call)) };
  if (open.isDecided) return { text: ticketIsDecided(ticketOf(call)) };
  open.decide(CANCEL_BY_MODEL);
  return { text: ticketIsCancelled(ticketOf(call)), cancels: open.id };
}

function stateText(call: BackgroundCall): string {
  const of = ticketOf(call);
  const { cancelled, wait, within } = call.open.now;
  const [below] = within;
  if (call.isOver) return ticketIsOver(of);
  if (cancelled !== undefined) return ticketIsCancelled(of);
  if (wait !== undefined) return ticketWaits(of, wait);
  if (below !== undefined) return ticketWaits(of, { reason: below.reason, within: below.call });
  return ticketIsUnderWay(of);
}

/** Returns the call whose heartbeats have the progress; undefined if none is under way. */
function progressOf({ scope }: AgentLoop, { open, ticket }: BackgroundCall): ControlReport['progressOf'] {
  const { underWay, n, tool } = open.now;
  if (underWay === undefined || n === undefined) return undefined;
  const id = activityId(scope, ticket.entry.call, n);
  const child = tool?.agent === undefined ? undefined : `${workflowInfo().workflowId}/${id}`;
  return { call: open.id, child };
}

function ticketOf({ ticket: { entry } }: BackgroundCall): TicketOf {
  return { ticket: entry.call, tool: entry.action.tool };
}
