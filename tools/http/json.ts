import { withoutSecrets } from '../../agent/secrets.ts';
import { ServiceError, isPassing, retryAfter, startOf, typeOfStatus } from './error.ts';
import { type Answer, exchange } from './exchange.ts';

/** A service that answers in JSON. */
export interface JsonService {
  /** As people call it. */
  name: string;
  /** Where it is asked, for messages. */
  address: string;
  /** Blotted out where the service repeats them. */
  secrets: string[];
  /** The service's own words for what is wrong, found in its answer. */
  complaint(body: unknown): string | undefined;
  /** What a person can do about a status. */
  advice(status: number, said: string): string;
  /** Statuses that usually pass by themselves, but do not for what the service says. */
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
  const body = parse(answer.text);
  if (body !== undefined) return body;
  const shown = quote(service, answer.text) || 'nothing';
  // Half an answer and the error page of a proxy pass by themselves.
  throw new ServiceError('ToolBadResponse', `${whom} answered with no JSON: ${shown}. Check the address.`, {
    retryable: true,
  });
}

function refusal(service: JsonService, { status, headers, text }: Answer): ServiceError {
  const said = quote(service, service.complaint(parse(text)) ?? text);
  const final = service.isFinal?.(status, said) ?? false;
  const where = `${service.name} answered ${status} at ${service.address}`;
  const what = said === '' ? '' : `: ${said.replace(/\.$/, '')}`;
  const advice = status < 400 ? redirected(headers) : service.advice(status, said);
  return new ServiceError(typeOfStatus(status), `${where}${what}. ${advice}`.trimEnd(), {
    retryable: isPassing(status) && !final,
    retryAfterMs: retryAfter(headers),
  });
}

/** Without the query of the new address: it may repeat the key. */
function redirected(headers: Headers): string {
  const location = headers.get('location')?.replace(/[?#].*$/s, '') ?? '';
  return location === ''
    ? 'Check the address.'
    : `It leads to ${location}: if that is right, make it the address.`;
}

function quote({ secrets }: JsonService, text: string): string {
  return startOf(withoutSecrets(text, secrets), SHOWN_CHARS);
}

/** undefined: no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
