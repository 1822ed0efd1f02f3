import type { AgentRun } from '../../client/agent-run.ts';
import { type Io, ask, say } from '../io.ts';

/** The run goes on without us: by choice, or because a signal says so. */
export interface Leaving {
  type: 'left';
  why: 'detached' | 'SIGINT' | 'SIGTERM';
}

export interface SignalWatch {
  leaving: Promise<Leaving>;
  /** Resolves when no question is open. */
  answered(): Promise<void>;
  stop(): void;
}

/**
 * What Ctrl-C means while a run is followed. The command that started the run asks on a terminal and cancels elsewhere;
 * one that only watches goes. SIGTERM leaves the run as it is. `clear` makes room on the terminal.
 */
export function watchSignals(
  io: Io,
  run: Pick<AgentRun, 'cancel'>,
  { onInterrupt, clear }: { onInterrupt: 'cancel' | 'leave'; clear(): void },
): SignalWatch {
  let leave: (leaving: Leaving) => void = () => undefined;
  const leaving = new Promise<Leaving>((resolve) => (leave = resolve));
  let question = Promise.resolve();

  const stop = io.onSignal((signal) => {
    if (signal === 'SIGTERM' || onInterrupt === 'leave') return leave({ type: 'left', why: signal });
    question = decide().catch(() => undefined); // the run ended meanwhile: following it tells
  });

  async function decide(): Promise<void> {
    clear();
    const terminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
    const answer = terminal ? await ask(io, 'Detach from the run or cancel it? [D/c] ') : 'c';
    if (!answer.toLowerCase().startsWith('c')) return leave({ type: 'left', why: 'detached' });
    say(io, 'Cancelling the run; Ctrl-C again leaves at once.');
    await run.cancel();
  }

  return { leaving, stop, answered: () => question };
}
