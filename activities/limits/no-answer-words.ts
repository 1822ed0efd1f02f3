import { boundedText } from '../../agent/values/values.ts';
import { wrappedGrpcCode } from '../../history/read/pages.ts';

const SAID_CHARS = 300;

/** Status codes of the server's answer, as gRPC numbers them. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Sentence for a message to which the workflow that keeps count has no answer: the reason, and what to check. */
export function noAnswerWords(workflowId: string, error: unknown): string {
  const said = boundedText(lastWords(error), SAID_CHARS).replace(/[.\s]*$/u, '');
  switch (wrappedGrpcCode(error)) {
    case CANCELLED:
    case DEADLINE_EXCEEDED:
      return `The workflow ${workflowId} does not answer: check that a worker runs the workflows of its task queue`;
    case UNAVAILABLE:
      return `The Temporal server does not answer the message to the workflow ${workflowId}: ${said}`;
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return `The Temporal server refuses the message to the workflow ${workflowId}: ${said}. Check that this worker may start workflows and update them`;
    default:
      return `The message to the workflow ${workflowId} failed: ${said}`;
  }
}

/** Words of the innermost error: the client's own say only that the request failed. */
function lastWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? lastWords(error.cause) : error.message;
}
