/** Sentences about a background call, for the model that asks about it. */

/** The call, as each sentence names it. */
export interface TicketOf {
  ticket: string;
  tool: string;
}

const named = ({ ticket, tool }: TicketOf) => `The call with the ticket ${ticket} (${tool})`;

/** The ticket is not repeated: the sentence travels in a header, which is not encrypted. */
export function unknownTicket(open: readonly TicketOf[]): string {
  const tickets = open.map(({ ticket, tool }) => `${ticket} (${tool})`).join(', ');
  return `No background call with this ticket is open: it is over, or there was none. Open tickets: ${tickets || 'none'}.`;
}

export function ticketIsOver(of: TicketOf): string {
  return `${named(of)} is over. Its result is in a message after this one.`;
}

export function ticketIsUnderWay(of: TicketOf): string {
  return `${named(of)} is under way.`;
}

/** `reason`: of the wait, such as `approval`. `within`: the waiting call of the sub-agent. */
export function ticketWaits(of: TicketOf, { reason, within }: { reason: string; within?: string }): string {
  const who = within === undefined ? 'it' : `the call ${within} of its agent`;
  return `${named(of)} is not over: ${who} waits for a person or another system (${reason}).`;
}

export function ticketIsCancelled(of: TicketOf): string {
  return `${named(of)} is being cancelled. A message says how it ended.`;
}

export function ticketHasJustBegun(of: TicketOf): string {
  return `${named(of)} begins with this step. Cancel it in the next one.`;
}

export function ticketIsInDoubt(of: TicketOf): string {
  return `${named(of)} cannot be cancelled: it is not known yet whether it took effect. A message says how it ended.`;
}

export function ticketIsDecided(of: TicketOf): string {
  return `${named(of)} cannot be cancelled now: its wait has just ended. Ask again.`;
}

/** A `wait` that ends before the call. */
export function waitEndedEarly(text: string): string {
  return `${text} A person has sent a message meanwhile.`;
}

/** Progress of an attempt under way. `step`: of the sub-agent. */
export function withProgress(
  text: string,
  { attempt, progress, step }: { attempt: number; progress: string; step?: string | undefined },
): string {
  const parts = [
    text,
    ...(step === undefined ? [] : [`Its agent is at ${step}.`]),
    ...(attempt > 1 ? [`Attempt ${attempt}.`] : []),
    ...(progress === '' ? [] : [`Progress: ${progress}`]),
  ];
  return parts.join(' ');
}

/** Reason in the result of a call that the model has cancelled. */
export const CANCELLED_BY_MODEL = 'the model asked for it';
