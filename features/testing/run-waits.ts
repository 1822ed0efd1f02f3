import {
  type WaitingCall,
  calledText,
  possibleUpdates,
  reasonText,
  stateOf,
} from '../../agent/rules/waiting.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';

/** A run waits for a person, and its test gives no answer. */
export class RunWaits extends Error {
  override name = 'RunWaits';
  /** The run, which continues waiting: decide, and read its `result()`. */
  readonly run: AgentRun;
  readonly waiting: WaitingCall;

  constructor(run: AgentRun, waiting: WaitingCall) {
    super(waitsMessage(run.id, waiting));
    this.run = run;
    this.waiting = waiting;
  }
}

function waitsMessage(id: string, waiting: WaitingCall): string {
  const { error } = waiting;
  const why = error === undefined ? '' : `: ${error.message}`;
  const [first = 'retry', ...others] = possibleUpdates(stateOf(waiting));
  return [
    `Run "${id}" waits for a person: ${calledText(waiting)} ${reasonText(waiting)}${why}`,
    `Let the test answer (${[first, ...others].join(', ')}):`,
    `  run(agent, input, { onWaiting: (waiting, run) => run.decide(waiting.call, { type: '${first}' }) })`,
  ].join('\n');
}
