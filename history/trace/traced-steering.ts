import type { CallModelInput } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import { UncarriedMessages } from './uncarried-messages.ts';

/** Messages from people to a run, and whether the model has seen them. */
export function traceSteering() {
  const uncarried = new UncarriedMessages();
  let isPaused = false;
  let isPausedAbove = false;
  return {
    received,
    /** The parent's run was paused (true) or resumed (false). */
    pausedAbove(isAbove: boolean): TimelessEvent[] {
      if (isPausedAbove === isAbove) return [];
      isPausedAbove = isAbove;
      return [{ type: 'steered', message: { type: isAbove ? 'pause' : 'resume' }, above: true }];
    },
    isPaused: () => isPaused || isPausedAbove,
    /** A model call of this scope was scheduled. */
    sent: (scope: number, input: CallModelInput) => uncarried.carry(scope, input),
    unheard,
    /** The run was restarted. `texts`: earlier messages that the model has not seen, which the new run receives again. */
    restarted(texts: readonly string[]): TimelessEvent[] {
      uncarried.take();
      uncarried.rewind();
      isPaused = false;
      isPausedAbove = false;
      return texts.flatMap((text) => received({ type: 'say', text }));
    },
    rewound: () => uncarried.rewind(),
  };

  /** Takes a message that the run has accepted. */
  function received(message: RunMessage): TimelessEvent[] {
    if (message.type !== 'rewind') {
      if (message.type === 'pause' || message.type === 'resume') isPaused = message.type === 'pause';
      return steered(message);
    }
    uncarried.take(); // a rewind drops earlier messages
    return [...steered(message), ...(isPaused ? received({ type: 'resume' }) : [])];
  }

  function steered(message: RunMessage): TimelessEvent[] {
    if (message.type === 'say') uncarried.receive(message.text);
    return [{ type: 'steered', message }];
  }

  /** The run has ended. Returns an event with the messages that the model has not seen. */
  function unheard(): TimelessEvent[] {
    const messages = uncarried.take();
    return messages.length === 0 ? [] : [{ type: 'unheard', messages }];
  }
}
