import { backgroundMutants } from './background-mutants.ts';
import { budgetMutants } from './budget-mutants.ts';
import { findingMutants } from './finding-mutants.ts';

/** A one-line defect of the product, which the simulator must find. */
export interface Mutant {
  name: string;
  /** The finding of an earlier review that the defect brings back. */
  finding?: string;
  /** Finds the defect. The simulations of `npm test` repeat it. */
  seed?: number;
  file: string;
  /** Occurs once in the file. */
  find: string;
  replace: string;
  /** Other lines, where the product has several guards. */
  also?: readonly Pick<Mutant, 'file' | 'find' | 'replace'>[];
}

export const editsOf = (mutant: Mutant) => [mutant, ...(mutant.also ?? [])];

export const mutants: readonly Mutant[] = [
  ...findingMutants,
  ...backgroundMutants,
  ...budgetMutants,
  {
    name: 'a rewind forgets the effects of the dropped steps',
    seed: 156,
    file: 'workflows/loop/rewind-loop.ts',
    find: 'loop.done = done;',
    replace: 'loop.done = [];',
  },
  {
    name: 'the record of a failed attempt is stored beside the SDK, whose worker sends an older one with the failure',
    seed: 20,
    file: 'activities/attempt/attempt.ts',
    find: 'if (!isLast(failure, context)) heartbeat.end();',
    replace: `if (!isLast(failure, context))
      await heartbeat.store({ endedAt: context.info.attempt }).catch(() => undefined);`,
  },
  {
    name: 'an attempt runs although an earlier one may have acted',
    seed: 227,
    file: 'activities/tool/once.ts',
    find: 'if (mayHaveRun(attempt)) throw foundAnother(attempt, tool);',
    replace: '',
  },
  {
    name: 'a call in doubt counts as failed',
    seed: 7,
    file: 'agent/rules/doubt.ts',
    find: "if (tool.effects !== 'once' || isToolError(tool, error))",
    replace: "if (tool.external !== true || tool.effects !== 'once' || isToolError(tool, error))",
  },
  {
    name: 'a lost attempt is tried again though it sent its intent',
    seed: 95,
    file: 'agent/rules/doubt.ts',
    find: '(timedOut && intent === undefined)',
    replace: 'timedOut',
  },
  {
    name: '`commit` does not ask the server',
    seed: 233,
    file: 'activities/tool/once.ts',
    find: '        await claim(attempt, {});\n',
    replace: '',
  },
  {
    name: '`reconcile` is asked while the lost attempt may still act',
    seed: 686,
    file: 'agent/rules/doubt.ts',
    find: 'return atMs <= nowMs ? undefined : atMs;',
    replace: 'return undefined;',
  },
  {
    name: 'an approval of one tool holds for all tools',
    seed: 242,
    file: 'agent/rules/approval.ts',
    find: 'return !approved.includes(keyOf(tool)) && !approved.includes(keyOf(tool, toolInput));',
    replace: 'return approved.length === 0;',
  },
  {
    name: 'messages for the steps after a rewind go to a call that is cancelled',
    seed: 1675,
    file: 'workflows/loop/loop.ts',
    find: "if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The run is cancelled');",
    replace: '',
  },
  {
    name: 'a cancelled wait is still listed',
    seed: 21,
    file: 'agent/run/call-wait.ts',
    find: "call.kind === 'model' ? []",
    replace: 'call.wait.until === undefined ? []',
  },
  {
    name: 'a session runs two messages at once',
    seed: 5,
    file: 'workflows/session/agent-session.ts',
    find: 'await answerNext(session);',
    replace: 'void answerNext(session);',
  },
  {
    name: 'usage is lost when a run continues as new',
    seed: 40,
    file: 'workflows/agent-run.ts',
    find: 'counters: loop.counters,',
    replace: 'counters: { ...loop.counters, usage: { ...loop.counters.usage, modelCalls: 0 } },',
  },
  {
    name: 'the calls of a reply that a rewind drops are not reported',
    seed: 11,
    file: 'workflows/loop/loop.ts',
    find: "if (turn !== undefined && !('result' in turn)) dropTurn(loop, turn);",
    replace: '',
  },
  {
    name: 'a run that ends before it has its agent is not reported',
    seed: 10023,
    file: 'workflows/loop/run-agent.ts',
    find: 'emitter(true, input.agent, undefined)',
    replace: 'emitter(false, input.agent, undefined)',
  },
  {
    name: 'the result of an inline call is dropped at the time limit',
    seed: 865,
    file: 'workflows/call/call-tool.ts',
    find: 'const action: NextAction = isMade(turnCall)',
    replace: 'const action: NextAction = isMade({ ...turnCall, inlineCall: undefined })',
  },
  {
    name: 'a paused attempt that is lost and cancelled has had no effect',
    seed: 333,
    file: 'agent/rules/doubt.ts',
    find: 'const isLost = unattended === true && intent !== undefined;',
    replace: 'const isLost = false;',
  },
  {
    name: 'the words that a reset repeats have no content in the record',
    seed: 239,
    file: 'history/read/facts.ts',
    find: 'acceptedRequest ?? admitted.get(',
    replace: 'acceptedRequest ?? new Map<string, temporal.api.update.v1.IRequest>().get(',
  },
  {
    name: 'the error of an encrypted run is in clear',
    seed: 41,
    file: 'workflows/temporal/encrypted-contents.ts',
    find: 'if (encrypts) for (const command of input.commands)',
    replace: 'if (!encrypts) for (const command of input.commands)',
  },
  {
    name: 'the inline calls of a turn that is cancelled in a pause are not reported',
    seed: 5981,
    file: 'workflows/loop/act.ts',
    find: 'if (loop.pause.isOn) await pauseOver(loop, calls);',
    replace: 'if (loop.pause.isOn) await loop.pause.over();',
  },
  {
    name: 'the number of an attempt names its output, also after a reset of the activity',
    seed: 4822,
    file: 'activities/turn/inline-calls.ts',
    find: 'const { currentAttemptScheduledTimestampMs: attemptScheduledAt } = context.info;',
    replace: 'const attemptScheduledAt = context.info.attempt;',
  },
  {
    name: 'a summary is asked of the agent before a handoff',
    seed: 150,
    file: 'agent/transcript/compaction.ts',
    find: 'conversation([...shown.slice(0, from), ...handoffs])',
    replace: 'conversation(shown.slice(0, from))',
  },
  {
    name: 'a summary keeps a turn less than it says',
    seed: 35,
    file: 'agent/transcript/visible.ts',
    find: 'keptFrom(before.map(entryOf), entry.keep)',
    replace: 'keptFrom(before.map(entryOf), entry.keep - 1)',
  },
  {
    name: 'a rewind to an agent without effects forgets the effects of the other agent',
    seed: 1981,
    file: 'workflows/run/dropped-effects.ts',
    find: '(hasEffects || isOneOfSeveral(manifest))',
    replace: 'hasEffects',
  },
  {
    name: 'a rewind to before a handoff keeps the later agent',
    seed: 3,
    file: 'workflows/loop/rewind-loop.ts',
    find: 'loop.agents.rewound(point);',
    replace: '',
  },
  {
    name: 'a run that continues as new after a handoff forgets the other agent',
    seed: 3,
    file: 'workflows/agent-run.ts',
    find: 'withRunId([...turn, ...handedOver], runId)',
    replace: 'withRunId(turn, runId)',
  },
  {
    name: 'two waits of a call have the same number',
    seed: 365,
    file: 'agent/run/call-wait.ts',
    find: 'nextWait: call.nextWait + 1,',
    replace: 'nextWait: call.nextWait,',
  },
  {
    name: 'the result of a run has the steps of failed calls',
    seed: 961,
    file: 'workflows/run/result-steps.ts',
    find: "  'tool_started',\n",
    replace: "  'tool_started',\n  'tool_failed',\n",
  },
  {
    name: 'a word that is sent again is taken again after a continue-as-new',
    seed: 218,
    file: 'workflows/agent-run.ts',
    find: 'takenWords: loop.taken.repeatable(),',
    replace: 'takenWords: undefined,',
  },
  {
    name: 'a word that is sent again is refused after a rewind',
    seed: 371,
    file: 'agent/run/carry.ts',
    find: 'takenWords: SAME_RUN,',
    replace: "takenWords: ['continue'],",
  },
  {
    name: 'a person resumes a sub-agent whose parent is paused, for readers',
    seed: 1141,
    file: 'agent/views/view.ts',
    find: 'if (above) this.#isPausedAbove',
    replace:
      'if (type === "resume") this.#isPausedAbove = this.#isPaused = false;\n    else if (above) this.#isPausedAbove',
  },
  {
    name: 'a decision is taken after the time of its wait',
    seed: 27722,
    file: 'workflows/operator/open-call.ts',
    find: 'if (Date.now() >= this.#waitsUntil) return true;',
    replace: '',
  },
  {
    name: 'the words before a run that ends without its agent are not reported',
    seed: 14226,
    file: 'workflows/loop/run-agent.ts',
    find: 'for (const event of earlyEvents()) emit?.(event);',
    replace: '',
  },
  {
    name: 'a fork that goes back to a step that it has kept is the other run again',
    seed: 1207,
    file: 'history/views/restart-record.ts',
    find: 'if (restart?.from.workflowId !== undefined) keepAsFork(modelCalls, state.agents);',
    replace: '',
  },
  {
    name: 'an old result of a client ends a later wait of its call',
    seed: 13,
    file: 'gateway/start/client-calls.ts',
    find: 'wait.call === call && wait.n === n && wait.reason',
    replace: 'wait.call === call && n >= 0 && wait.reason',
    also: [
      {
        file: 'gateway/start/client-calls.ts',
        find: 'output: clientResult(tool, result) }, n)',
        replace: 'output: clientResult(tool, result) })',
      },
    ],
  },
  {
    name: 'whoever sees a run gives the results of its client',
    seed: 39,
    file: 'gateway/start/client-calls.ts',
    find: "if (mayUse(caller, 'POST /runs/{id}/decisions') || ",
    replace: "if (mayUse(caller, 'POST /runs/{id}/decisions') || caller.name !== '' || ",
  },
  {
    name: 'an agent that takes the run over does not have the tools of its caller',
    seed: 193,
    file: 'workflows/loop/resolve.ts',
    find: 'clientTools: broughtTools(loop) }',
    replace: 'clientTools: agents.size < 0 ? broughtTools(loop) : undefined }',
  },
  {
    name: 'a reader does not count what sub-agents have used',
    seed: 1,
    file: 'agent/run/run-calls.ts',
    find: "[...events, { type: 'used', call: call.id, usage: used }]",
    replace: 'events',
  },
];
