import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { earlyResult } from './early-result.ts';
import { laterJson } from './sse-response.ts';

/** The clients of OpenAI wait 10 minutes for an answer. */
const ANSWER_MS = 9 * 60_000;

export interface AnswerOptions {
  /** The body for an error after the status was sent. */
  errorBody(error: unknown): object;
  /** Default: so long that no proxy and no client gives the response up. */
  heldBackMs?: number | undefined;
}

/**
 * Waits for an answer that is not a stream. Resolves with the answer where it comes soon, and rejects with an error that comes soon. Later
 * it resolves with a response of status 200 that is under way: blanks, then the answer as JSON, or the body of the error.
 *
 * The signal of `work` comes when the client leaves, and before the client gives up: `work` ends then with what there is.
 */
export async function answerOrResponse<T extends object>(
  request: Request,
  work: (signal: AbortSignal) => Promise<T>,
  { errorBody, heldBackMs }: AnswerOptions,
): Promise<T | Response> {
  const left = new AbortController();
  const answer = withTimeLimit(ANSWER_MS, AbortSignal.any([request.signal, left.signal]), work);
  const [early] = (await earlyResult(answer, heldBackMs)) ?? [];
  return early ?? laterJson(request, answer.catch(errorBody), () => left.abort());
}

/** The same as a response in any case. */
export async function wholeAnswer(...asked: Parameters<typeof answerOrResponse>): Promise<Response> {
  const answer = await answerOrResponse(...asked);
  return answer instanceof Response ? answer : Response.json(answer);
}
