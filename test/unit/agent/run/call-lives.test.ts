import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolManifest } from '../../../../agent/definition/manifest.ts';
import { type OperatorDecision, fittingDecisions } from '../../../../agent/rules/decisions.ts';
import { stateOf } from '../../../../agent/rules/waiting.ts';
import { nextCall } from '../../../../agent/run/call-next.ts';
import type { Call, CallFact } from '../../../../agent/run/call-state.ts';
import { nextAction } from '../../../../agent/run/next-action.ts';
import type { TimelessEvent } from '../../../../agent/run/events.ts';
import {
  NOW,
  asking,
  callOf,
  cancelled,
  decided,
  during,
  failed,
  human,
  lost,
  once,
  plain,
  reconciling,
  succeeded,
  undecided,
} from '../../../support/call-facts.ts';

/** Ends of a schedule. */
const ends: readonly CallFact[] = [
  succeeded({ output: 'r' }),
  succeeded({ output: 'ask', kind: 'deferred', token: 't' }),
  succeeded({ output: null, reconciled: 'notDone' }),
  succeeded({ output: null, reconciled: 'unknown' }),
  failed(),
  failed({ timedOut: true }),
  failed({ notDone: 'again' }),
  failed({ notDone: 'failed' }),
  lost,
  cancelled,
];
const tools = [plain, asking, once, reconciling, human, { ...once, approval: 'always' as const }];
/** A tool, and what people and workers do. The run's time limit passes after half of the choices. */
const lives = fc.tuple(fc.constantFrom(...tools), fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 }));

interface Fact {
  before: Call;
  fact: CallFact;
  after: Call;
}

/** Takes a call to its end as the workflow does. */
function live(tool: ToolManifest, choices: readonly number[]) {
  let call = callOf(tool, tool.approval === undefined ? {} : { approval: {} });
  const facts: Fact[] = [];
  const events: TimelessEvent[] = [];
  const apply = (fact: CallFact) => {
    const before = call;
    const next = nextCall(before, fact);
    ({ call } = next);
    facts.push({ before, fact, after: call });
    events.push(...next.events);
  };
  for (const [index, choice] of choices.entries()) {
    const then = nextAction(call, { ...during, overdue: index > choices.length / 2 });
    if (then.do === 'end' || then.do === 'fail') return { facts, events, isOver: true };
    if (then.do === 'ask') {
      const { reason, until } = then;
      apply({ type: 'wait_started', reason, until, done: [] });
      const fitting = fittingDecisions(stateOf({ call: '1.1', reason, until }));
      const type = fitting[choice % fitting.length];
      if (choice % 7 === 0) apply(until === undefined ? undecided : { type: 'wait_ended' });
      else apply(decided({ type, ...(type === 'resolve' ? { output: 'given' } : {}) } as OperatorDecision));
      continue;
    }
    const n = call.nextN;
    apply({ type: 'scheduled', n });
    if (choice % 5 === 0) apply({ type: 'intended', n, intent: { at: NOW, attempt: 1 } });
    if (choice % 11 === 0) apply(decided({ type: 'cancelCall' }));
    apply(ends[choice % ends.length] ?? cancelled);
  }
  return { facts, events, isOver: false };
}

/** The tool certainly had no effect in the schedule that ended so. */
function hadNoEffect({ before, fact }: Fact): boolean {
  if (fact.type === 'succeeded')
    return (
      before.underWay === 'reconcile' && (fact.result as { reconciled?: string }).reconciled === 'notDone'
    );
  if (fact.type !== 'failed' || before.underWay === 'reconcile') return false;
  const { timedOut, intent = before.intent, notDone } = fact.failed;
  return notDone !== undefined || (timedOut === true && intent === undefined);
}

describe('every life of a call', () => {
  test('ends, with one step at most, and numbers its schedules and waits one by one', () => {
    fc.assert(
      fc.property(lives, ([tool, choices]) => {
        const { facts, events, isOver } = live(tool, choices);
        expect(isOver).toBe(true);
        expect(events.filter(({ type }) => type === 'step').length).toBeLessThanOrEqual(1);
        const schedules = facts.flatMap(({ fact }) => (fact.type === 'scheduled' ? [fact.n] : []));
        expect(schedules).toEqual([...schedules.keys()]);
        const waits = events.flatMap((event) => (event.type === 'waiting' ? [event.wait.n] : []));
        expect(waits).toEqual([...waits.keys()]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('runs a tool with `effects: once` again only if there was no effect, or a person said so', () => {
    fc.assert(
      fc.property(lives, ([tool, choices]) => {
        fc.pre(tool.effects === 'once');
        let mayRun = true;
        const wrong: Fact[] = [];
        for (const step of live(tool, choices).facts) {
          const { fact, after } = step;
          if (fact.type === 'scheduled' && after.underWay === 'run' && !mayRun) wrong.push(step);
          if (fact.type === 'decided') mayRun ||= fact.decision.type !== 'cancelCall';
          else if (['succeeded', 'failed', 'cancelled'].includes(fact.type)) mayRun = hadNoEffect(step);
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
