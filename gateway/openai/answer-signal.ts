/** The clients of OpenAI wait 10 minutes for an answer. */
const ANSWER_MS = 9 * 60_000;

/** Ends the wait for an answer that is not a stream: with the request, or before the client gives up. */
export function answerSignal(request: AbortSignal): AbortSignal {
  return AbortSignal.any([request, AbortSignal.timeout(ANSWER_MS)]);
}
