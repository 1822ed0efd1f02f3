import type { RunPart } from './run-parts.ts';
import { calledText, reasonText } from '../../client/index.ts';
import { NO_WORKER } from './worker-parts.ts';

/** A line about the work of a run, for clients that show progress; undefined for parts that are not progress. */
export function progressText(part: RunPart): string | undefined {
  switch (part.type) {
    case 'tool_call':
      return `${part.call} ${part.action.tool}`;
    case 'tool_progress':
      return `${part.call} ${part.text}`;
    case 'tool_result':
      return `${part.call} is done`;
    case 'worker':
      return part.isThere ? 'A worker is there' : NO_WORKER;
    case 'waiting':
      return `${calledText(part.wait)} ${reasonText(part.wait)}`;
    default:
      return undefined;
  }
}
