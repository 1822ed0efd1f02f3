import { problemOf } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { errorAfterStart } from '../replies/follow-reply.ts';
import { eventText, heldBackSse } from '../replies/sse-response.ts';
import { wholeAnswer } from '../replies/whole-answer.ts';
import { errorBody } from './error-body.ts';

/** An answer that is sent whole, or as server-sent events; both end with the signal. `errorText`: the event of an error. */
type Sent =
  | { answer(signal: AbortSignal): Promise<object> }
  | { texts(signal: AbortSignal): AsyncGenerator<string>; errorText(error: unknown): string };

/** The response to a request that has started a run. An error has a status that no client takes for a reason to start another run. */
export async function answerAfterStart(
  { request, report }: Pick<ProtocolRequest, 'request' | 'report'>,
  run: string,
  sent: Sent,
): Promise<Response> {
  const told = (error: unknown) => {
    report(error);
    return errorAfterStart(run, error);
  };
  try {
    if ('answer' in sent) {
      return await wholeAnswer(request, sent.answer, { errorBody: (error) => bodyOf(told(error)) });
    }
    return await heldBackSse(request, sent.texts, (error) => sent.errorText(told(error)));
  } catch (error) {
    throw told(error);
  }
}

/** An error as the last event of a chat completion's stream. */
export function chatErrorText(error: unknown): string {
  return eventText(bodyOf(error));
}

function bodyOf(error: unknown): object {
  return errorBody(problemOf(error));
}
