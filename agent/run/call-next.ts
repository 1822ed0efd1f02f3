import { replied, scheduleEnded, scheduled } from './call-schedule.ts';
import { type Call, type CallFact, type Next, ended } from './call-state.ts';
import { answered, decided, unanswered, waitOver, waits, waitsWithin } from './call-wait.ts';

/** Applies a fact to a call. Returns the call's new state, and the events to emit. */
export function nextCall(call: Call, fact: CallFact): Next {
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
    case 'waits':
      return waits(call, fact);
    case 'waits_within':
      return waitsWithin(call, fact.change);
    case 'unanswered':
      return unanswered(call, fact);
    case 'wait_over':
      return waitOver(call);
    case 'decided':
      return decided(call, fact.decision);
    case 'answered':
      return answered(call, fact.decision);
    case 'intended':
      return { call: fact.n === call.n ? { ...call, intent: fact.intent } : call, events: [] };
    case 'observed':
      return ended(call, { observation: fact.observation, fromTool: false });
  }
}
