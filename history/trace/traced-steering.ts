import type { CallModelInput } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import type { RunTimers } from './run-timers.ts';

/** What people said to a run, and whether the model has seen it. */
export interface TracedSteering {
  said(message: RunMessage): TimelessEvent[];
  /** The run that this one is a sub-agent's of was paused (true), or goes on. */
  pausedAbove(isAbove: boolean): TimelessEvent[];
  /** A model call of this scope was scheduled with what was new to it. */
  carried(scope: number, asked: CallModelInput): void;
  /** What no model call has carried, for the run is over. */
  unheard(): TimelessEvent[];
  /** The run goes on from an earlier step: of what was said before, this is said again. */
  restarted(texts: readonly string[]): TimelessEvent[];
  /** The run has rewound itself. */
  rewound(): void;
}

export function traceSteering(timers: Pick<RunTimers, 'putOff' | 'extended'>): TracedSteering {
  let waiting: string[] = [];
  let isPaused = false;
  /** How far model calls have carried each scope's transcript: one that is scheduled again carries the same again. */
  const seen = new Map<number, number>();
  return {
    said,
    pausedAbove: (isAbove) => heard({ type: isAbove ? 'pause' : 'resume' }),
    carried,
    unheard,
    restarted(texts) {
      waiting = [];
      isPaused = false;
      seen.clear();
      return texts.flatMap((text) => said({ type: 'say', text }));
    },
    rewound: () => seen.clear(),
  };

  function said(message: RunMessage): TimelessEvent[] {
    if (message.type !== 'rewind') {
      if (message.type === 'pause' || message.type === 'resume') isPaused = message.type === 'pause';
      return heard(message);
    }
    waiting = []; // what was said before does not hold
    return [...heard(message), ...(isPaused ? said({ type: 'resume' }) : [])];
  }

  function heard(message: RunMessage): TimelessEvent[] {
    if (message.type === 'pause') timers.putOff();
    if (message.type === 'extend' && message.timeMs !== undefined) timers.extended();
    if (message.type === 'say') waiting.push(message.text);
    return [{ type: 'steered', message }];
  }

  function carried(scope: number, { base, delta }: CallModelInput): void {
    const known = Math.max(0, (seen.get(scope) ?? 0) - base);
    for (const entry of delta.slice(known)) {
      if (entry.type !== 'message' || entry.role !== undefined) continue;
      const index = waiting.indexOf(entry.text);
      if (index >= 0) waiting.splice(index, 1);
    }
    seen.set(scope, base + delta.length);
  }

  function unheard(): TimelessEvent[] {
    const messages = waiting;
    waiting = [];
    return messages.length === 0 ? [] : [{ type: 'unheard', messages }];
  }
}
