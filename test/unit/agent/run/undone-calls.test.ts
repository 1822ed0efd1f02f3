import { expect, test } from 'vitest';
import type { ToolManifest } from '../../../../agent/definition/manifest.ts';
import { nextCall } from '../../../../agent/run/call-next.ts';
import type { CallFact } from '../../../../agent/run/call-state.ts';
import { type CallContext, nextAction } from '../../../../agent/run/next-action.ts';
import { asText } from '../../../../agent/values/vocabulary.ts';
import {
  callOf,
  decided,
  during,
  failed,
  lost,
  reconciling,
  succeeded,
  waits,
} from '../../../support/call-facts.ts';

/** A tool with two attempts, whose `reconcile` says each time that the call did nothing. */
const pay: ToolManifest = { ...reconciling, retry: { ...reconciling.retry, maxAttempts: 2 } };
const late: CallContext = { ...during, overdue: true };
const isLost: CallContext = { ...during, nowMs: during.nowMs + 60_000 };

const undone = (failure: CallFact): CallFact[] => [
  { type: 'scheduled', n: 0 },
  failure,
  { type: 'scheduled', n: 1 },
  succeeded({ output: null, reconciled: 'notDone' }),
];
/** The tool itself has failed, and its worker was lost. */
const [failure, loss] = [undone(failed({ fault: 'Timeout' })), undone(lost)];
const retried = [waits('failed'), decided({ type: 'retry' })];
const times = (count: number, facts: CallFact[]) => Array.from({ length: count }, () => facts).flat();

function after(facts: CallFact[], context: CallContext, tool = pay): string {
  const { call, waiting } = stateAfter(facts, tool);
  const next = nextAction(call, context);
  if (next.do === 'end') return asText(next.end.observation);
  if (next.do === 'fail') return `fail ${next.error.type}: ${next.error.message}`;
  return next.do === 'ask' ? `${next.reason} ${waiting}` : next.do;
}

/** State after these facts, and the error that a person would be asked about. */
function stateAfter(facts: CallFact[], tool: ToolManifest) {
  let call = callOf(tool);
  for (const fact of facts) ({ call } = nextCall(call, fact));
  const { events } = nextCall(call, waits('failed'));
  const [{ type, message } = { type: '', message: '' }] = events.flatMap((event) =>
    event.type === 'waiting' && event.wait.error !== undefined ? [event.wait.error] : [],
  );
  return { call, waiting: `${type}: ${message}` };
}

const said = 'pay did nothing, its reconcile says: it broke.';

test.each<[what: string, facts: CallFact[], context: CallContext, then: string, tool?: ToolManifest]>([
  ['has failed once', failure, during, 'schedule'],
  ['has failed as often as it has attempts', times(2, failure), during, `failed Timeout: ${said}`],
  [
    'has failed once since a person decided',
    [...times(2, failure), ...retried, ...failure],
    during,
    'schedule',
  ],
  ['has lost more workers than it has attempts', times(4, loss), isLost, 'schedule'],
  ['has lost five workers', times(5, loss), isLost, `failed WorkerDied: ${said}`],
  ['has failed once, and lost more workers', [...failure, ...times(3, loss)], isLost, 'schedule'],
  [
    'has failed at the time limit',
    failure,
    late,
    "This tool call was cut off at the run's time limit; there is no result.",
  ],
  [
    'has failed for the last time, where the model sees failures',
    times(2, failure),
    during,
    `The tool pay failed: ${said}`,
    { ...pay, onFailure: 'observe' },
  ],
  [
    'has failed for the last time, where that fails the run',
    times(2, failure),
    during,
    `fail Timeout: ${said}`,
    { ...pay, onFailure: 'fail' },
  ],
])('a call without an effect whose tool %s', (_what, facts, context, then, tool) => {
  expect(after(facts, context, tool)).toBe(then);
});
