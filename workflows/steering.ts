import { setHandler } from '@temporalio/workflow';
import type { Allowance } from '../agent/counters.ts';
import type { LimitName, ReachedLimit } from '../agent/rules/run-limits.ts';
import {
  type RunMessage,
  type RunMessageName,
  type SteeredRun,
  helpOfMessage,
  receiveRunMessage,
  runMessageNames,
} from '../agent/rules/run-messages.ts';
import type { Inbox } from './inbox.ts';
import { type RunMessageReceipt, pausedAboveSignal, runMessageUpdates } from './messages.ts';
import { Pause } from './pause.ts';

/** An agent as what is said to its run reaches it. */
export interface Steered {
  readonly inbox: Inbox;
  limits(): LimitName[];
  reached(): ReachedLimit | undefined;
  extend(by: Allowance): void;
}

/** Who hears of what is said. */
export interface SteeringHooks {
  /** The agents that run, or are about to. */
  agents(): Steered[];
  said(message: RunMessage): void;
  /** The run is paused, or goes on. */
  onPauseChange(): void;
}

/**
 * Sets the handlers of what people say to a run as a whole; to be called before the first `await`. They are synchronous:
 * check, store, return. So what was said is recorded when the sender hears that it was.
 */
export function createSteering({ agents, said, onPauseChange }: SteeringHooks): Pause {
  const pause = new Pause();
  const run = (): SteeredRun => ({
    agents: agents().map(({ inbox, limits, reached }) => ({
      inboxBytes: inbox.bytes,
      limits: limits(),
      reached: reached(),
    })),
    isPaused: pause.isOwn,
    isPausedAbove: pause.isAbove,
  });

  for (const name of runMessageNames) {
    setHandler(runMessageUpdates[name], (data?: unknown) => take(name, data), {
      validator: (data?: unknown) => void receiveRunMessage(name, data, run()),
      description: helpOfMessage(name),
    });
  }
  setHandler(pausedAboveSignal, (isAbove) => {
    if (pause.isAbove === isAbove) return;
    said({ type: isAbove ? 'pause' : 'resume' });
    pause.setAbove(isAbove);
    onPauseChange();
  });
  return pause;

  function take(name: RunMessageName, data: unknown): RunMessageReceipt {
    const message = receiveRunMessage(name, data, run());
    said(message);
    obey(message);
    return { message: name };
  }

  function obey(message: RunMessage): void {
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
    }
  }
}
