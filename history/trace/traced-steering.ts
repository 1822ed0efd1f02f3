import type { CallModelInput } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';

/** Messages from people to a run, and whether the model has seen them. */
export function traceSteering() {
  let waiting: string[] = [];
  let isPaused = false;
  let isPausedAbove = false;
  /** Length of the transcript that model calls have been sent, by scope. A repeated model call is sent the same entries again. */
  const seen = new Map<number, number>();
  return {
    received,
    /** The parent's run was paused (true) or resumed (false). */
    pausedAbove(isAbove: boolean): TimelessEvent[] {
      if (isPausedAbove === isAbove) return [];
      isPausedAbove = isAbove;
      return steered({ type: isAbove ? 'pause' : 'resume' });
    },
    isPaused: () => isPaused || isPausedAbove,
    sent,
    unheard,
    /** The run was restarted. `texts`: earlier messages that the model has not seen, which the new run receives again. */
    restarted(texts: readonly string[]): TimelessEvent[] {
      waiting = [];
      isPaused = false;
      isPausedAbove = false;
      seen.clear();
      return texts.flatMap((text) => received({ type: 'say', text }));
    },
    rewound: () => seen.clear(),
  };

  /** Takes a message that the run has accepted. */
  function received(message: RunMessage): TimelessEvent[] {
    if (message.type !== 'rewind') {
      if (message.type === 'pause' || message.type === 'resume') isPaused = message.type === 'pause';
      return steered(message);
    }
    waiting = []; // a rewind drops earlier messages
    return [...steered(message), ...(isPaused ? received({ type: 'resume' }) : [])];
  }

  function steered(message: RunMessage): TimelessEvent[] {
    if (message.type === 'say') waiting.push(message.text);
    return [{ type: 'steered', message }];
  }

  /** A model call of this scope was scheduled. The new entries of its input have the messages that the model sees. */
  function sent(scope: number, { base, delta }: CallModelInput): void {
    const repeated = Math.max(0, (seen.get(scope) ?? 0) - base);
    for (const entry of delta.slice(repeated)) {
      if (entry.type !== 'message' || entry.role !== undefined) continue;
      const index = waiting.indexOf(entry.text);
      if (index >= 0) waiting.splice(index, 1);
    }
    seen.set(scope, base + delta.length);
  }

  /** The run has ended. Returns an event with the messages that the model has not seen. */
  function unheard(): TimelessEvent[] {
    const messages = waiting;
    waiting = [];
    return messages.length === 0 ? [] : [{ type: 'unheard', messages }];
  }
}
