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
  {
    name: 'a retried call keeps an approval that was for another input',
    finding: 'A1',
    seed: 307,
    file: 'client/restart/retry-run.ts',
    find: 'const isApproved = allowed !== undefined && canonicalJson(allowed) === canonicalJson(toolInput);',
    replace: 'const isApproved = allowed !== undefined;',
  },
  {
    name: 'a decision meets the next wait of its call',
    finding: 'A2',
    seed: 702,
    file: 'agent/rules/gate.ts',
    find: 'wait !== undefined && state.waiting !== undefined && wait !== waiting.waitNumber',
    replace: 'wait === -1',
  },
  {
    name: 'the output of an attempt that was given up is told to the model',
    finding: 'A3',
    file: 'workflows/loop/act.ts',
    find: 'turn.uncached === true ? steps.map(uncached) : steps',
    replace: 'steps',
  },
  {
    name: 'two effects are compared by the text of the model',
    finding: 'A4',
    seed: 156,
    file: 'agent/rules/repeated.ts',
    find: 'return isModels ? effect : inputDigest(input);',
    replace: 'return isModels && false ? effect : inputDigest(input);',
  },
  {
    name: 'the effect of a later schedule hides the effect of an earlier one',
    finding: 'A5',
    seed: 373,
    file: 'history/views/effects.ts',
    find: 'const key = `${runId} ${fact.key}`;',
    replace: "const key = 'name' in fact && fact.name === 'mail' ? `${runId} mail` : `${runId} ${fact.key}`;",
  },
  {
    name: 'the second of two who retry a run ends what the first one began',
    finding: 'A6',
    seed: 96,
    file: 'client/restart/restart-run.ts',
    find: "workflowIdConflictPolicy: 'FAIL',",
    replace: "workflowIdConflictPolicy: 'TERMINATE_EXISTING' as 'FAIL',",
  },
  {
    name: 'the kept calls of a retried turn have no step',
    finding: 'A7',
    seed: 197,
    file: 'agent/run/view.ts',
    find: '.filter(({ call }) => !isDropped(call, event))',
    replace: '.filter(({ call }) => !isDropped(call, { step: event.step }))',
  },
  {
    name: 'the clock counts the waits for a person',
    finding: 'A8',
    seed: 9,
    file: 'workflows/operator/open-call.ts',
    find: 'if (stopsClock) clock.pause();',
    replace: '',
  },
  {
    name: 'a sub-agent sends all its waits with each change',
    finding: 'C1',
    seed: 6,
    file: 'workflows/operator/parent-news.ts',
    find: 'void this.#sendChanges();\n  }\n\n  /** Reports',
    replace:
      'const caller = this.#caller;\n    if (caller !== undefined) void CancellationScope.nonCancellable(() => parentRun().signal(childWaitingSignal, { caller, waits: [...waiting] })).catch(() => undefined);\n  }\n\n  /** Reports',
    also: [
      {
        file: 'workflows/task-room.ts',
        find: 'signalWorkflow: (input, next) =>\n      whenItFits(\n        () => argumentBytes(input.args),\n        () => next(input),\n      ),',
        replace: 'signalWorkflow: (input, next) => next(input),',
      },
    ],
  },
  {
    name: 'a task may send as much as it likes',
    finding: 'C2',
    seed: 43,
    file: 'workflows/task-room.ts',
    find: 'if (sentBytes + bytes > limits.taskBytes) return false;',
    replace: '',
  },
  {
    name: 'a sub-agent stays paused when its parent goes on at once',
    finding: 'C3',
    seed: 69,
    file: 'workflows/operator/pause.ts',
    find: 'this.#children.has(child) && sent !== this.isOn;',
    replace: 'this.#children.has(child) && sent === undefined;',
  },
  {
    name: 'the signals of a sub-agent overtake one another',
    finding: 'C4',
    seed: 104,
    file: 'workflows/operator/parent-news.ts',
    find: 'if (this.#caller === undefined || this.#isSending) return;',
    replace: 'if (this.#caller === undefined) return;',
  },
  {
    name: 'a wait that onWaiting reports twice is answered twice',
    finding: 'C5',
    seed: 104,
    file: 'client/api/on-waiting.ts',
    find: 'if (told.has(key)) return;',
    replace: '',
  },
  {
    name: 'a retried run does not tell its session the answer',
    finding: 'C6',
    seed: 19,
    file: 'workflows/agent-run.ts',
    find: 'if (session === undefined || parent !== undefined) return;',
    replace: 'if (session !== undefined || parent !== undefined) return;',
  },
  {
    name: 'a run continues as new with a rewind under way',
    finding: 'C7',
    file: 'workflows/agent-run.ts',
    find: '&& rewindTo === undefined;',
    replace: ';',
    also: [
      {
        file: 'workflows/agent-run.ts',
        find: 'continueAsNewSuggested || CancellationScope.current().consideredCancelled)',
        replace: 'continueAsNewSuggested)',
      },
      {
        file: 'workflows/loop/run-agent.ts',
        find: 'if (loop.rewindTo === undefined || ',
        replace: 'if (isContinueAsNew(failure) || loop.rewindTo === undefined || ',
      },
    ],
  },
  {
    name: 'a run continues as new with a pause',
    seed: 38,
    file: 'workflows/agent-run.ts',
    find: '&& !pause.isOn',
    replace: '',
    also: [
      {
        file: 'workflows/loop/loop.ts',
        find: 'if (loop.pause.isOn) await loop.pause.over();\n      const direct',
        replace: 'const direct',
      },
    ],
  },
  {
    name: 'a cancelled call waits for a result that it has deferred',
    finding: 'C8',
    seed: 152,
    file: 'agent/run/next-action.ts',
    find: "return isCut ? cut(call, context) : { do: 'ask', reason: 'deferred' };",
    replace: "return { do: 'ask', reason: 'deferred' };",
  },
  {
    name: 'an answer by token that comes early is lost',
    finding: 'C9',
    seed: 21,
    file: 'agent/run/call-wait.ts',
    find: 'earlyAnswers: [...call.earlyAnswers, decision] }',
    replace: 'earlyAnswers: [] }',
  },
  {
    name: 'a rewind forgets the effects of the dropped steps',
    seed: 156,
    file: 'workflows/loop/rewind-loop.ts',
    find: 'loop.done = done;',
    replace: 'loop.done = [];',
  },
  {
    name: 'an attempt runs although an earlier one may have acted',
    file: 'activities/tool/once.ts',
    find: 'if (mayHaveRun(attempt)) throw foundAnother(attempt, tool);',
    replace: '',
  },
  {
    name: 'a call in doubt counts as failed',
    seed: 19,
    file: 'agent/rules/doubt.ts',
    find: "if (tool.effects !== 'once' || isToolError(tool, error))",
    replace: "if (tool.external !== true || tool.effects !== 'once' || isToolError(tool, error))",
  },
  {
    name: 'a lost attempt is tried again though it sent its intent',
    seed: 156,
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
    seed: 373,
    file: 'agent/rules/doubt.ts',
    find: 'if (endsAtMs === undefined || endsAtMs <= nowMs) return undefined;',
    replace: 'if (endsAtMs === undefined || endsAtMs >= 0) return undefined;',
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
    seed: 94,
    file: 'workflows/agent-run.ts',
    find: 'counters: loop.counters,',
    replace: 'counters: { ...loop.counters, usage: { ...loop.counters.usage, modelCalls: 0 } },',
  },
  {
    name: 'the calls of a reply that a rewind drops are not reported',
    seed: 186,
    file: 'workflows/loop/loop.ts',
    find: 'if (turn !== undefined) emitDroppedTurn(loop, turn);',
    replace: '',
  },
  {
    name: 'a run that ends before it has its agent is not reported',
    seed: 2000010,
    file: 'workflows/loop/run-agent.ts',
    find: 'emitter(true, input.agent, undefined)',
    replace: 'emitter(false, input.agent, undefined)',
  },
  {
    name: 'the result of an inline call is dropped at the time limit',
    seed: 2000411,
    file: 'workflows/call/call-tool.ts',
    find: 'const action: NextAction = isMade(turnCall)',
    replace: 'const action: NextAction = isMade({ ...turnCall, inlineCall: undefined })',
  },
  {
    name: 'a paused attempt that is lost and cancelled has had no effect',
    seed: 2000229,
    file: 'agent/rules/doubt.ts',
    find: 'const isLost = unattended === true && intent !== undefined;',
    replace: 'const isLost = false;',
  },
  {
    name: 'the words that a reset repeats have no content in the record',
    seed: 239,
    file: 'history/read/facts.ts',
    find: 'acceptedRequest ?? repeatedUpdates.get(',
    replace: 'acceptedRequest ?? new Map<string, temporal.api.update.v1.IRequest>().get(',
  },
  {
    name: 'the error of an encrypted run is in clear',
    seed: 23,
    file: 'workflows/temporal/encrypted-contents.ts',
    find: 'if (encrypts) for (const command of input.commands)',
    replace: 'if (!encrypts) for (const command of input.commands)',
  },
  {
    name: 'two waits of a call have the same number',
    seed: 49,
    file: 'agent/run/call-wait.ts',
    find: 'nextWait: call.nextWait + 1,',
    replace: 'nextWait: call.nextWait,',
  },
];
