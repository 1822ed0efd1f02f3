import { callPath } from '../../agent/calls.ts';
import type { RunEvent } from '../../agent/events.ts';
import type { LiveRegion } from './live-region.ts';

/** A sub-agent's place in the trace of the run that is shown. */
export interface Below {
  /** The call that runs it. */
  within: string;
  /** Blanks before each of its lines: as many as it is deep. */
  margin: string;
  region: LiveRegion;
  /** Others are under way beside it, so that lines have to say whose they are. */
  hasNeighbours(): boolean;
}

/** Where the lines of sub-agents go. */
interface Above {
  indent: string;
  /** Shows what is under way within a call; nothing of it where there are no lines. */
  show(within: string, lines: string[]): void;
  traceOf(below: Below): { print(event: RunEvent): void };
}

/** A trace for each sub-agent's run. */
export function createSubAgentTraces({ indent, show, traceOf }: Above): { print(event: RunEvent): void } {
  const traces = new Map<string, ReturnType<Above['traceOf']>>();
  const running = new Set<string>();
  return {
    print(event) {
      const { within = '' } = event;
      if (event.type === 'run_started') running.add(within);
      const trace = traces.get(within) ?? traceOf(placeOf(within));
      traces.set(within, trace);
      trace.print(event);
      if (event.type === 'run_ended') running.delete(within);
    },
  };

  function placeOf(within: string): Below {
    const margin = indent.repeat(callPath(within).length);
    return {
      within,
      margin,
      hasNeighbours: () => [...running].some((other) => !isOf(other, within) && !isOf(within, other)),
      region: {
        show: (lines) => show(within, indented(lines, margin)),
        clear: () => undefined,
      },
    };
  }
}

export function indented(lines: string[], margin: string): string[] {
  return lines.map((line) => (line === '' ? '' : margin + line));
}

/** The run is that of the other call, or below it. */
function isOf(within: string, other: string): boolean {
  return within === other || within.startsWith(`${other}/`);
}
