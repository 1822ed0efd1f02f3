import type { ResponseErrorEvent, ResponseStatus } from 'openai/resources/responses/responses';
import { problemOf } from '../http/problem.ts';
import { eventText } from '../replies/sse-response.ts';
import type { Reply } from '../replies/follow-reply.ts';
import { type ItemEvent, type Unnumbered, createResponseItems } from './response-items.ts';
import { type RequestEcho, type ResponseObject, responseObject, statusAtEnd } from './response-object.ts';
import { CREATED, IN_PROGRESS, createResume, numberOf, numberOfEnd } from './sequence.ts';

type SentEvent = { sequence_number: number } & (
  | ItemEvent
  | { type: 'response.created' | 'response.in_progress' | EndType; response: ResponseObject }
  | Unnumbered<ResponseErrorEvent>
);
type EndType = 'response.completed' | 'response.failed' | 'response.incomplete';

interface StreamOptions {
  echo?: RequestEcho | undefined;
  /** Sequence number after which the stream starts. Default: all events. */
  after?: number | undefined;
  report(error: unknown): void;
}

/** The events of a response as server-sent events. Throws an error that comes before the first one; a later one is the last event. */
export async function* responseStream(
  open: () => Promise<Reply>,
  { report, ...options }: StreamOptions,
): AsyncGenerator<string> {
  let number: number | undefined;
  try {
    for await (const event of eventsOf(await open(), options)) {
      number = event.sequence_number;
      yield eventText(event, event.type);
    }
  } catch (error) {
    if (number === undefined) throw error;
    report(error);
    yield responseErrorText(error, number + 1);
  }
}

/**
 * An error as the last event of the stream: in the form of the reference, and in that of OpenAI's server, which the clients read. Its type
 * says that the request is not to be sent again, whatever the error is, because the run has started.
 */
export function responseErrorText(error: unknown, number = 0): string {
  const { code, detail: message } = problemOf(error);
  const said = { code, message, param: null };
  const nested = { type: 'invalid_request_error', ...said };
  return eventText({ type: 'error', ...said, error: nested, sequence_number: number }, 'error');
}

async function* eventsOf(
  { view, startedAt, parts }: Reply,
  { echo, after = -1 }: Omit<StreamOptions, 'report'>,
): AsyncGenerator<SentEvent> {
  const items = createResponseItems(view.id);
  const resume = createResume(after);
  const state = (status: ResponseStatus) =>
    responseObject({ view, startedAt, output: items.output(), echo, status });
  if (after < CREATED) {
    yield { type: 'response.created', response: state('in_progress'), sequence_number: CREATED };
    yield { type: 'response.in_progress', response: state('in_progress'), sequence_number: IN_PROGRESS };
  }
  let event = 0;
  let chars = 0; // of the text that is under way
  for await (const placed of parts) {
    event = placed.place.event;
    for (const made of items.next(placed.part)) {
      chars = lengthAfter(made, chars);
      const number = numberOf(made, placed, chars);
      for (const kept of resume(made, number, placed.place)) yield { ...kept, sequence_number: number };
    }
  }
  const status = statusAtEnd(view);
  yield { type: endTypeOf(status), response: state(status), sequence_number: numberOfEnd(event) };
}

function lengthAfter(event: ItemEvent, chars: number): number {
  if (event.type === 'response.output_item.added') return 0;
  return event.type === 'response.output_text.delta' ? chars + event.delta.length : chars;
}

/** The protocol has no event for a cancelled response. */
function endTypeOf(status: ResponseStatus): EndType {
  return status === 'completed' || status === 'failed' ? `response.${status}` : 'response.incomplete';
}
