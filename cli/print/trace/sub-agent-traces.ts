import { callPath } from '../../../agent/calls/call-path.ts';
import type { RunEvent } from '../../../agent/run/events.ts';
import type { LiveRegion } from '../progress-line.ts';

/** A sub-agent's place in the trace of the run that is shown. */
export interface SubAgentTrace {
  /** The call that runs it. */
  within: string;
  /** Blanks before each of its lines: as many as it is deep. */
  margin: string;
  region: LiveRegion;
  /** Others are under way beside it, so that lines have to say whose they are. */
  hasNeighbours(): boolean;
}

/** Trace of the run that has sub-agents. */
interface ParentTrace {
  indent: string;
  /** Shows the lines of a call under way; no lines clear it. */
  show(within: string, lines: string[]): void;
  traceOf(below: SubAgentTrace): { print(event: RunEvent): void };
}

export function createSubAgentTraces({ indent, show, traceOf }: ParentTrace): {
  print(event: RunEvent): void;
} {
  const traces = new Map<string, ReturnType<ParentTrace['traceOf']>>();
  const running = new Set<string>();
  return {
    print(event) {
      const { within = '' } = event;
      if (event.type === 'run_started') running.add(within);
      const trace = traces.get(within) ?? traceOf(traceWithin(within));
      traces.set(within, trace);
      trace.print(event);
      if (event.type === 'run_ended') running.delete(within);
    },
  };

  function traceWithin(within: string): SubAgentTrace {
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
