import { checkpointStored, intended, replied, scheduleEnded, scheduled } from './call-schedule.ts';
import { type Call, type CallFact, type Transition, ended } from './call-state.ts';
import { answered, decided, unanswered, childWaitsChanged, waitEnded, waitStarted } from './call-wait.ts';

/** Applies a fact to a call. Returns the call's new state, and the events to emit. */
export function nextCall(call: Call, fact: CallFact): Transition {
  if (call.end !== undefined && fact.type !== 'decided') return { call, events: [] };
  switch (fact.type) {
    case 'scheduled':
      return scheduled(call, fact);
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return scheduleEnded(call, fact);
    case 'replied':
      return replied(call, fact);
    case 'wait_started':
      return waitStarted(call, fact);
    case 'child_waits_changed':
      return childWaitsChanged(call, fact.change);
    case 'child_used':
      // Temporal's reset repeats signals of sub-agents that the run has not started yet.
      return { call, events: [], used: call.n === undefined || call.end ? undefined : fact.usage };
    case 'unanswered':
      return unanswered(call, fact);
    case 'wait_ended':
      return waitEnded(call, fact);
    case 'decided':
      return decided(call, fact.decision);
    case 'answered':
      return answered(call, fact.decision);
    case 'intended':
      return intended(call, fact);
    case 'checkpoint':
      return checkpointStored(call, fact);
    case 'observed':
      return ended(call, { observation: fact.observation, fromTool: false });
  }
}
