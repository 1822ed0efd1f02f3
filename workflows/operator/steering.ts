import { setHandler } from '@temporalio/workflow';
import type { Allowance } from '../../agent/limits/counters.ts';
import {
  helpOfMessage,
  receiveRunMessage,
  type RunMessage,
  type RunMessageName,
  runMessageNames,
  type RunMessageReceipt,
  type SteeredAgent,
  type SteeredRun,
} from '../../agent/rules/run-messages.ts';
import { sentData } from '../../agent/rules/sent-data.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import type { Inbox } from './inbox.ts';
import { pausedAboveSignal, runMessageUpdates } from '../messages.ts';
import { type AskAuthorize, orRefused } from './ask-authorize.ts';
import { onSignal } from '../temporal/on-signal.ts';
import { Pause } from './pause.ts';
import type { TakenWords } from './taken-words.ts';

/** An agent as the target of messages to its run. */
export interface SteeringTarget {
  readonly inbox: Inbox;
  readonly state: SteeredAgent;
  extend(by: Allowance): void;
  /** Cancels the calls under way. The loop goes back to before the step when they have ended. */
  rewind(step: number): void;
}

/** State and callbacks for messages to a run. */
export interface SteeringHooks {
  taken: TakenWords;
  /** The agents that are running or about to start. */
  agents(): SteeringTarget[];
  /** Asks the config's `authorize` about a message; undefined: the run has none. */
  authorizer(): AskAuthorize | undefined;
  /** Called with every accepted message. `above`: the parent run is paused or resumed, and this run with it. */
  onMessage(message: RunMessage, above?: true): void;
  /** Called when the run is paused or resumed. */
  onPauseChange(): void;
}

/**
 * Sets the handlers of messages to a whole run. Call it before the first `await`. The handlers are synchronous (check, store, return), so
 * a message is recorded when its sender gets the receipt.
 */
export function createSteering(hooks: SteeringHooks): Pause {
  const { taken, agents, authorizer, onMessage, onPauseChange } = hooks;
  const pause = new Pause();
  const run = (): SteeredRun => ({
    agents: agents().map(({ state }) => state),
    isPaused: pause.isOwn,
    isPausedAbove: pause.isAbove,
    words: taken.counted,
  });

  for (const name of runMessageNames) {
    setHandler(runMessageUpdates[name], (data?: unknown) => receive(name, data), {
      unfinishedPolicy: 'ABANDON',
      validator: (...sent: unknown[]) => {
        taken.checkRepetition();
        receiveRunMessage(name, sentData(name, sent), run());
      },
      description: helpOfMessage(name),
    });
  }
  onSignal(pausedAboveSignal, runSignals.pausedAbove, (isAbove) => {
    if (pause.isAbove === isAbove) return;
    onMessage({ type: isAbove ? 'pause' : 'resume' }, true);
    pause.setAbove(isAbove);
    onPauseChange();
  });
  return pause;

  function receive(name: RunMessageName, data: unknown): RunMessageReceipt | Promise<RunMessageReceipt> {
    const ask = authorizer();
    const receipt =
      ask === undefined ? take(name, data) : ask(name, data).then(() => orRefused(() => take(name, data)));
    taken.count();
    return receipt;
  }

  function take(name: RunMessageName, data: unknown): RunMessageReceipt {
    const message = receiveRunMessage(name, data, run());
    onMessage(message);
    apply(message);
    return taken.withReceipt({ message: name });
  }

  function apply(message: RunMessage): void {
    switch (message.type) {
      case 'say':
        for (const { inbox } of agents()) inbox.add(message.text);
        return;
      case 'pause':
      case 'resume':
        pause.set(message.type === 'pause');
        return onPauseChange();
      case 'extend': {
        const { type: _, ...by } = message;
        for (const agent of agents()) agent.extend(by);
        return;
      }
      case 'rewind':
        for (const agent of agents()) agent.rewind(message.step);
        if (!pause.isOwn) return;
        // A rewound run continues.
        onMessage({ type: 'resume' });
        return apply({ type: 'resume' });
    }
  }
}
