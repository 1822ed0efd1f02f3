import {
  asText,
  type ErrorInfo,
  needsPerson,
  possibleDecisions,
  type RunReport,
} from '../../client/index.ts';
import { failureText } from '../access/failure-text.ts';

/** The result of a tool of MCP: a text for the model, and the same as data for programs. */
export interface ToolAnswer {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: { [key: string]: unknown };
  isError?: true;
}

/** The state of a run as the result of a tool. */
export function answerOf({ id, status, output, stopReason, waiting, error }: RunReport): ToolAnswer {
  const open = waiting
    .filter(needsPerson)
    .map((wait) => ({ ...wait, decisions: possibleDecisions(wait).map(({ type }) => type) }));
  const told = error && { ...error, message: failureText(error) };
  const data = { id, status, output, stopReason, waiting: open, error: told };
  switch (status) {
    case 'completed':
    case 'stopped':
      return { content: texts(asText(output)), structuredContent: data };
    case 'failed':
    case 'cancelled':
      return { ...failedAnswer(`Run ${id} ${endOf(status, told)}`), structuredContent: data };
    case 'waiting':
      return { content: texts(waitingText(id, open)), structuredContent: data };
    default:
      return {
        content: texts(`Run ${id} is ${status}. Read its answer with get_run.`),
        structuredContent: data,
      };
  }
}

/** The state of a run that has not started. */
export function queuedAnswer(id: string): ToolAnswer {
  return {
    content: texts(`Run ${id} waits for its turn in the session. Read its answer with get_run.`),
    structuredContent: { id, status: 'queued' },
  };
}

/** A tool call that failed, with a text for the model. */
export function failedAnswer(text: string): ToolAnswer {
  return { content: texts(text), isError: true };
}

function endOf(status: 'failed' | 'cancelled', error: ErrorInfo | null): string {
  return status === 'cancelled' ? 'was cancelled.' : `failed: ${error?.message ?? 'no reason is known.'}`;
}

function waitingText(
  id: string,
  open: readonly { call: string; tool: string; reason: string; toolInput: unknown; decisions: string[] }[],
): string {
  const calls = open.map(
    ({ call, tool, reason, toolInput, decisions }) =>
      `- ${call}: ${tool}(${JSON.stringify(toolInput)}), reason: ${reason}. Decisions: ${decisions.join(', ')}`,
  );
  return [
    `Run ${id} waits for a person:`,
    ...calls,
    'Ask the person, send the decision with decide_on_run, then read the answer with get_run.',
  ].join('\n');
}

function texts(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }];
}
