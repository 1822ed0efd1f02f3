import { condition, workflowInfo } from '@temporalio/workflow';
import { activityId } from '../../agent/calls/calls.ts';
import type { ControlReport } from '../../agent/background/control-report.ts';
import { readControl } from '../../agent/background/background-input.ts';
import {
  type TicketOf,
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
import type { OpenCall } from '../operator/open-call.ts';
import type { AgentLoop } from './agent-loop.ts';
import type { BackgroundCall } from './background-calls.ts';

/**
 * Waits for the end of the background call that the model waits for. A message of a person, the run's time limit, and a person who cancels
 * the wait end it too. Resolves at once for other inputs. Throws CancelledFailure.
 */
export async function waitedFor({ background, inbox, deadline }: AgentLoop, open: OpenCall): Promise<void> {
  const { action, ticket = '' } = readControl(open.now.action.toolInput) ?? {};
  const call = action === 'wait' ? background.find(ticket) : undefined;
  if (call === undefined) return;
  const isCut = () => deadline.passed || open.now.cancelled !== undefined;
  await condition(() => call.isOver || !inbox.isEmpty || isCut());
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
      return { text: call.isOver ? stateText(call) : waitEndedEarly(stateText(call)) };
    case 'cancel':
      return cancel(call);
  }
}

function cancel(call: BackgroundCall): ControlReport {
  const { open, isOver } = call;
  if (isOver || open.now.cancelled !== undefined) return { text: stateText(call) };
  if (open.now.wait?.reason === 'doubt') return { text: ticketIsInDoubt(ticketOf(call)) };
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
