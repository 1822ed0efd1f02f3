import type { OperatorDecision } from '../../agent/run/events.ts';
import { ModelError, agentTool, defineTool } from '../../index.ts';
import { operatedTools } from './operated-paths.ts';
import { act, answer, modelOf, script } from './scripts.ts';
import {
  type SteeredPath,
  aborted,
  at,
  below,
  cancelled,
  fork,
  grant,
  inOrder,
  over,
  retry,
  rewind,
  rewindEnded,
  say,
} from './steering.ts';

/** Paths of runs that do steps again, after people have had a say. What decides is read from the record of the run. */

/** Refuses each input that does not begin with `open`. */
const payment = {
  description: 'pays, with an approval',
  approval: 'always' as const,
  retry: { maxAttempts: 1 },
  run(input: string) {
    if (!input.startsWith('open')) throw new Error('the bank is closed');
    return `paid ${input}`;
  },
};
const bank = defineTool({ name: 'bank', ...payment });
const ledger = defineTool({ name: 'ledger', ...payment, effects: 'once' });
const tools = [
  ...operatedTools,
  bank,
  ledger,
  agentTool({ agent: 'careful', description: 'pays Ann, then asks' }),
  agentTool({ agent: 'unlucky', description: 'pays Ann, then breaks' }),
];
/** A model that is not there for so many calls of its second step. */
function down(calls: number) {
  let left = calls;
  return modelOf((step) => {
    if (step === '2' && left-- > 0) throw new ModelError('ModelBadRequest', 'down', { retryable: true });
    return Number(step) < 4 ? act('echoes', step) : answer('done');
  });
}
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });
const echoes = (...inputs: string[]) => inputs.map((input) => act('echoes', input));
const limit = { maxIterations: 2, onLimit: 'ask' } as const;
const patient = { modelRetry: { maxAttempts: 1 }, onModelFailure: 'ask' } as const;

export const restartedAgents = [
  { ...agent('raised', ...echoes('1', '2', '3'), answer('done')), ...limit },
  { ...agent('raised-later', act('echoes', '1'), act('ask_human', 'q?'), ...echoes('3')), ...limit },
  { ...agent('down-twice'), ...patient, model: down(2) },
  { ...agent('down-once'), ...patient, model: down(1) },
  agent('said-twice', act('ask_human', 'q?'), act('guarded', 'y')),
  agent('asking-person', act('ask_human', 'q?')),
  agent('guards-twice', act('guarded', 'x'), act('guarded', 'y')),
  agent('at-the-bank', act('bank', 'in')),
  agent('in-the-ledger', act('ledger', 'in')),
  agent('pays-twice', act('pays', 'Ann'), act('pays', 'Bob')),
  agent('pays-second', act('echoes', 'x'), act('pays', 'Ann')),
  agent('careful', act('pays', 'Ann'), act('guarded', 'y')),
  agent('unlucky', act('pays', 'Ann'), act('breaks', 'x')),
  agent('boss-of-careful', act('careful', 'pay')),
  agent('boss-of-unlucky', act('unlucky', 'pay')),
];

const approve: OperatorDecision = { type: 'approve' };
const again: OperatorDecision = { type: 'retry' };
const abort: OperatorDecision = { type: 'abort' };
const skip: OperatorDecision = { type: 'skip' };
const resolve = (output: string): OperatorDecision => ({ type: 'resolve', output });

export const restartedPaths: SteeredPath[] = [
  [
    'a raised limit, which a rewind to a later step keeps, and one to an earlier step does not',
    'raised',
    inOrder(at('3', 0), grant(1), at('4', 0), rewind(3), at('4', 2), rewind(2), at('3', 3), grant(5)),
    'step 1.1: "echo 1", step 2.1: "echo 2", waiting 3: limit, steered: extend, step 3.1: "echo 3", waiting 4: limit, steered: rewind, restarted, step 3.1: "echo 3", waiting 4: limit, steered: rewind, restarted, step 2.1: "echo 2", waiting 3: limit, steered: extend, step 3.1: "echo 3", completed',
  ],
  [
    'a limit that was raised before the run was cancelled and retried',
    'raised-later',
    inOrder(
      at('2.1', 0),
      grant(1),
      cancelled,
      retry(),
      at('2.1', 1, resolve('x')),
      at('4', 1, resolve('enough')),
    ),
    'step 1.1: "echo 1", waiting 2.1: answer, steered: extend, resumed 2.1, restarted, waiting 2.1: answer, decided 2.1: resolve, step 2.1: "x", step 3.1: "echo 3", waiting 4: limit, decided 4: resolve, completed',
  ],
  [
    'a fork with a limit, to which no earlier raise is added',
    'raised',
    inOrder(at('3', 0), grant(1), at('4', 0), fork({ step: 3, maxIterations: 3 }), at('4', 0, abort)),
    'step 1.1: "echo 1", step 2.1: "echo 2", waiting 3: limit, steered: extend, restarted, step 3.1: "echo 3", waiting 4: limit, decided 4: abort, failed',
  ],
  [
    'a retry, with what was said while the model was down',
    'down-twice',
    inOrder(
      at('2', 0),
      say('Be brief.'),
      at('2', 0, again),
      at('2', 1),
      say('In English.'),
      cancelled,
      retry(),
    ),
    'step 1.1: "echo 1", restarted, steered: say, steered: say, step 2.1: "echo 2", step 3.1: "echo 3", completed',
    'echo 1\nMessage from the user: Be brief.\nMessage from the user: In English.\nThought:',
  ],
  [
    'a fork that changes what came before a message',
    'down-once',
    inOrder(
      at('2', 0),
      say('Be brief.'),
      at('2', 0, again),
      over,
      fork({ step: 4, edits: { '1.1': 'another' }, say: 'And kind.' }),
    ),
    'step 1.1: "echo 1", model_failed 2, waiting 2, steered: say, decided 2: retry, step 2.1: "echo 2", step 3.1: "echo 3", restarted, steered: say, completed',
    'Observation: another\nMessage from the user: Be brief.\nThought:',
  ],
  [
    'a rewind, which drops what was said after the step',
    'said-twice',
    inOrder(
      at('1.1', 0),
      say('Be brief.'),
      at('1.1', 0, resolve('a')),
      at('2.1', 0),
      say('In English.'),
      rewind(2),
      at('2.1', 1, approve),
    ),
    'waiting 1.1: answer, steered: say, decided 1.1: resolve, step 1.1: "a", waiting 2.1: approval, steered: say, steered: rewind, resumed 2.1, restarted, waiting 2.1: approval, decided 2.1: approve, step 2.1: "did y", completed',
    'Message from the user: Be brief.\nThought: I need guarded.\nAction: guarded\nAction Input: y\nObservation: did y\nThought:',
  ],
  [
    'a retry of a run that was paused when it ended',
    'asking-person',
    inOrder(at('1.1', 0), (run) => run.pause(), cancelled, retry(), at('1.1', 1, resolve('x'))),
    'waiting 1.1: answer, steered: pause, resumed 1.1, restarted, waiting 1.1: answer, decided 1.1: resolve, step 1.1: "x", completed',
  ],
  [
    'an approval that is asked for again after a rewind and after a retry',
    'guards-twice',
    inOrder(
      at('1.1', 0),
      rewind(1),
      at('1.1', 1),
      cancelled,
      retry(),
      at('1.1', 2, approve),
      at('2.1', 2, approve),
    ),
    'waiting 1.1: approval, steered: rewind, resumed 1.1, restarted, waiting 1.1: approval, resumed 1.1, restarted, waiting 1.1: approval, decided 1.1: approve, step 1.1: "did x", waiting 2.1: approval, decided 2.1: approve, step 2.1: "did y", completed',
  ],
  [
    'an approval that is remembered by a rewind to a later step, and not by one to its own',
    'guards-twice',
    inOrder(
      at('1.1', 0, { type: 'approve', remember: 'tool' }),
      rewindEnded(2),
      rewindEnded(1),
      at('1.1', 2, approve),
      at('2.1', 2, approve),
    ),
    'restarted, waiting 1.1: approval, decided 1.1: approve, step 1.1: "did x", waiting 2.1: approval, decided 2.1: approve, step 2.1: "did y", completed',
  ],
  [
    'an approved input that fails, however often the run is retried',
    'at-the-bank',
    inOrder(
      at('1.1', 0, { type: 'approve', input: '400' }, { reason: 'approval' }),
      ...[1, 2].flatMap((n) => [aborted('1.1', n, { reason: 'failed', toolInput: '400' }), retry()]),
      at('1.1', 3, skip, { reason: 'failed', toolInput: '400' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1, decided 1.1: abort, restarted, tool_failed 1.1, waiting 1.1, decided 1.1: abort, restarted, tool_failed 1.1, waiting 1.1, decided 1.1: skip, step 1.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    'an input that the call was retried with, which has to be approved when the run is retried',
    'at-the-bank',
    inOrder(
      at('1.1', 0, approve),
      at('1.1', 1, { type: 'retry', input: '300' }),
      aborted('1.1', 2),
      retry(),
      at('1.1', 3, { type: 'approve', input: 'open 300' }, { reason: 'approval', toolInput: '300' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1, decided 1.1: retry, tool_failed 1.1, waiting 1.1, decided 1.1: abort, restarted, waiting 1.1: approval, decided 1.1: approve, step 1.1: "paid open 300", completed',
  ],
  [
    'an input that the retry of the run brings, which has to be approved and is kept',
    'at-the-bank',
    inOrder(
      at('1.1', 0, approve),
      aborted('1.1', 1),
      retry({ call: '1.1', input: 'open 9000' }),
      aborted('1.1', 2, { reason: 'approval', toolInput: 'open 9000' }),
      retry(),
      at('1.1', 3, approve, { reason: 'approval', toolInput: 'open 9000' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1, decided 1.1: abort, restarted, waiting 1.1: approval, decided 1.1: abort, restarted, waiting 1.1: approval, decided 1.1: approve, step 1.1: "paid open 9000", completed',
  ],
  [
    'a payment in doubt, which is asked about with its approved input when the run is retried',
    'in-the-ledger',
    inOrder(
      at('1.1', 0, { type: 'approve', input: '400' }),
      aborted('1.1', 1, { reason: 'doubt' }),
      retry(),
      at('1.1', 2, skip, { reason: 'repeated', toolInput: '400' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1: doubt, decided 1.1: abort, restarted, waiting 1.1: repeated, decided 1.1: skip, step 1.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    'an approval that a rewind has dropped',
    'at-the-bank',
    inOrder(
      at('1.1', 0, approve),
      at('1.1', 1),
      rewind(1),
      aborted('1.1', 2, { reason: 'approval' }),
      retry(),
      at('1.1', 3, { type: 'reject' }, { reason: 'approval', toolInput: 'in' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1, steered: rewind, resumed 1.1, restarted, waiting 1.1: approval, decided 1.1: abort, restarted, waiting 1.1: approval, decided 1.1: reject, step 1.1: "This tool call was not approved by the operator and was not run. Do not try it again in the same way.", completed',
  ],
  [
    'an effect of a dropped step, which is asked about after each rewind',
    'pays-second',
    inOrder(rewindEnded(2), at('2.1', 1, skip), rewindEnded(1), at('2.1', 2, again)),
    'restarted, step 1.1: "echo x", waiting 2.1: repeated, decided 2.1: retry, step 2.1: "paid Ann", completed',
  ],
  [
    'effects by the input of a person: another one is made, and one that was made is asked about',
    'pays-twice',
    inOrder(
      rewindEnded(1),
      at('1.1', 1, { type: 'retry', input: 'Carl' }),
      at('2.1', 1, { type: 'retry', input: 'Ann' }, { toolInput: 'Bob' }),
      at('2.1', 2, skip, { reason: 'repeated', toolInput: 'Ann' }),
    ),
    'restarted, waiting 1.1: repeated, decided 1.1: retry, step 1.1: "paid Carl", waiting 2.1: repeated, decided 2.1: retry, waiting 2.1: repeated, decided 2.1: skip, step 2.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    'an effect of a sub-agent that was rewound itself before its parent',
    'boss-of-careful',
    inOrder(
      at('1.1/2.1', 0),
      below('1.1', inOrder(rewind(1), at('1.1', 1, skip), at('2.1', 1))),
      rewind(1),
      at('1.1~1/1.1', 0, skip, { reason: 'repeated' }),
      at('1.1~1/2.1', 0, approve),
    ),
    'waiting 1.1/2.1: approval, resumed 1.1/2.1, waiting 1.1/1.1: repeated, resumed 1.1/1.1, waiting 1.1/2.1: approval, steered: rewind, resumed 1.1/2.1, restarted, waiting 1.1~1/1.1: repeated, resumed 1.1~1/1.1, waiting 1.1~1/2.1: approval, resumed 1.1~1/2.1, step 1.1: "end of script", completed',
  ],
  [
    'an effect of a sub-agent that failed and is called again and again',
    'boss-of-unlucky',
    inOrder(
      at('1.1', 0, again),
      at('1.1~1/1.1', 0, skip, { reason: 'repeated' }),
      at('1.1', 1, again),
      at('1.1~2/1.1', 0, skip, { reason: 'repeated' }),
      at('1.1', 2, skip),
    ),
    'tool_failed 1.1, waiting 1.1, decided 1.1: retry, waiting 1.1~1/1.1: repeated, resumed 1.1~1/1.1, tool_failed 1.1, waiting 1.1, decided 1.1: retry, waiting 1.1~2/1.1: repeated, resumed 1.1~2/1.1, tool_failed 1.1, waiting 1.1, decided 1.1: skip, step 1.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    'a rewind of a sub-agent alone, whose waits end and begin for its parent',
    'boss-of-careful',
    inOrder(
      at('1.1/2.1', 0),
      below('1.1', inOrder(rewind(2), at('2.1', 1, abort))),
      at('1.1', 0, resolve('by hand')),
    ),
    'waiting 1.1/2.1: approval, resumed 1.1/2.1, waiting 1.1/2.1: approval, resumed 1.1/2.1, tool_failed 1.1, waiting 1.1, decided 1.1: resolve, step 1.1: "by hand", completed',
  ],
  [
    'a decision that a rewind has dropped',
    'asking-person',
    inOrder(at('1.1', 0, resolve('by hand')), rewindEnded(1), at('1.1', 1, resolve('again by hand'))),
    'restarted, waiting 1.1: answer, decided 1.1: resolve, step 1.1: "again by hand", completed',
  ],
];
