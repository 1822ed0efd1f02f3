import { shownUrl } from '../../../agent/text/shown-url.ts';
import { withoutSecrets } from '../../../agent/text/secrets.ts';
import { parseJson } from '../../../agent/values/json-object.ts';
import { retryAfter } from '../../../agent/values/retry-after.ts';
import { ServiceError, isPassing, startOf, typeOfStatus } from './error.ts';
import { type HttpReply, exchange } from './exchange.ts';

export interface JsonService {
  /** Usual name of the service, for messages. */
  name: string;
  /** Address of the service, for messages. */
  address: string;
  /** Blotted out where the service repeats them. */
  secrets: string[];
  /** The service's own error message in its answer. */
  complaint(body: unknown): string | undefined;
  /** Advice for a person about a status. */
  advice(status: number, said: string): string;
  /** True if a usually temporary status is final, by the service's message. */
  isFinal?(status: number, said: string): boolean;
}

const MAX_BYTES = 10_000_000;
const SHOWN_CHARS = 500;

/** Asks once and returns the JSON of a 200. Throws ServiceError for all else, and the signal's reason on abort. */
export async function askJson(
  service: JsonService,
  url: URL,
  init: RequestInit,
  signal: AbortSignal,
): Promise<unknown> {
  const whom = `${service.name} at ${service.address}`;
  const answer = await exchange(url, init, { signal, maxBytes: MAX_BYTES, whom });
  if (answer.status !== 200) throw refusal(service, answer);
  if (answer.cut) {
    const message = `${whom} answered with more than ${MAX_BYTES / 1e6} MB. Ask for less.`;
    throw new ServiceError('ToolBadResponse', message, { retryable: false });
  }
  const body = parseJson(answer.text);
  if (body !== undefined) return body;
  const shown = quote(service, answer.text) || 'nothing';
  // Half an answer and the error page of a proxy are temporary.
  throw new ServiceError('ToolBadResponse', `${whom} answered with no JSON: ${shown}. Check the address.`, {
    retryable: true,
  });
}

function refusal(service: JsonService, { status, headers, text }: HttpReply): ServiceError {
  const said = quote(service, service.complaint(parseJson(text)) ?? text);
  const final = service.isFinal?.(status, said) ?? false;
  const where = `${service.name} answered ${status} at ${service.address}`;
  const what = said === '' ? '' : `: ${said.replace(/\.$/, '')}`;
  const advice = status < 400 ? redirected(headers, service.address) : service.advice(status, said);
  return new ServiceError(typeOfStatus(status), `${where}${what}. ${advice}`.trimEnd(), {
    retryable: isPassing(status) && !final,
    retryAfterMs: retryAfter(headers, Date.now()),
  });
}

/** Advice for a redirect. Leaves out user name and query of the new address: they may repeat the key. */
function redirected(headers: Headers, from: string): string {
  const location = headers.get('location') ?? '';
  return location === ''
    ? 'Check the address.'
    : `It leads to ${shownUrl(URL.canParse(location, from) ? new URL(location, from).href : '')}: if that is right, make it the address.`;
}

function quote({ secrets }: JsonService, text: string): string {
  return startOf(withoutSecrets(text, secrets), SHOWN_CHARS);
}
