import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Io, ask, say } from '../shell/io.ts';

/** The run continues without us: by choice, or because a signal says so. */
export interface Leaving {
  type: 'left';
  why: 'detached' | 'SIGINT' | 'SIGTERM';
}

interface SignalWatchOptions {
  onInterrupt: 'cancel' | 'leave';
  /** Makes room on the terminal. */
  clear(): void;
  /** Resolves when the run has ended, or `signal` aborts. */
  untilOver?(signal: AbortSignal): Promise<void>;
}

/**
 * Reaction to Ctrl-C while a run is followed. The command that started the run asks on a terminal and cancels
 * elsewhere; a command that only watches leaves. SIGTERM leaves the run as it is.
 */
export function watchSignals(
  io: Io,
  run: Pick<AgentRun, 'cancel'>,
  { onInterrupt, clear, untilOver }: SignalWatchOptions,
) {
  let leave: (leaving: Leaving) => void = () => undefined;
  const leaving = new Promise<Leaving>((resolve) => (leave = resolve));
  let question = Promise.resolve();

  const stop = io.onSignal((signal) => {
    if (signal === 'SIGTERM' || onInterrupt === 'leave') return leave({ type: 'left', why: signal });
    question = decide().catch(() => undefined); // the run ended meanwhile: following it shows that
  });

  async function decide(): Promise<void> {
    clear();
    const terminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
    const answer = terminal ? await detachOrCancel() : 'c';
    if (answer === undefined) return say(io, '\nThe run has ended meanwhile.');
    if (!answer.toLowerCase().startsWith('c')) return leave({ type: 'left', why: 'detached' });
    say(io, 'Cancelling the run; Ctrl-C again leaves at once.');
    await run.cancel();
  }

  /** undefined: the run ended first. */
  async function detachOrCancel(): Promise<string | undefined> {
    const over = new AbortController();
    const answered = new AbortController();
    const end = () => answered.signal.aborted || over.abort();
    void untilOver?.(answered.signal).then(end, () => undefined); // following the run shows what is wrong
    const answer = await ask(io, 'Detach from the run or cancel it? [D/c] ', over.signal);
    answered.abort();
    return over.signal.aborted ? undefined : answer;
  }

  /** Resolves when no question is open. */
  const answered = () => question;
  return { leaving, stop, answered };
}
