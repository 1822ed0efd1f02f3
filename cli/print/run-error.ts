import type { RunEvent } from '../../agent/run/events.ts';
import type { ErrorInfo } from '../../agent/values/vocabulary.ts';
import type { RunReport } from '../../client/report.ts';
import { oneLine } from '../../features/render/words/amounts.ts';

/** Remembers which failures the trace has printed: a provider's sentence may be long, and is printed once. */
export interface PrintedFailures {
  add(event: RunEvent): void;
  /** Refers to the call that failed with this error; undefined for an error that the trace has not printed. */
  reference(error: ErrorInfo): string | undefined;
}

export function createPrintedFailures(): PrintedFailures {
  const calls = new Map<string, string>();
  const keyOf = ({ type, message }: ErrorInfo) => `${type} ${message}`;
  return {
    add(event) {
      if (event.within !== undefined) return;
      if (event.type === 'model_failed')
        calls.set(keyOf(event.error), `the model call of step ${event.call} failed, see above`);
      if (event.type === 'tool_failed') calls.set(keyOf(event.error), `call ${event.call} failed, see above`);
    },
    reference: (error) => calls.get(keyOf(error)),
  };
}

/** undefined for a run that neither failed nor was cancelled. A reference replaces a longer message. */
export function errorLine(
  { id, status, error }: Pick<RunReport, 'id' | 'status' | 'error'>,
  printed?: PrintedFailures,
): string | undefined {
  if (status === 'cancelled') return `error: Cancelled: run ${oneLine(id)} was cancelled`;
  if (error === null) return undefined;
  const { type, message } = error;
  const reference = printed?.reference(error) ?? message;
  return `error: ${oneLine(`${type}: ${reference.length < message.length ? reference : message}`)}`;
}
