import { Refused } from './problem.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];
/** Values of `Sec-Fetch-Site` for a request of the gateway's own page, and of a person. */
const OWN = ['same-origin', 'none'];

/**
 * Refuses what a page of another origin asks for, unless the origin is listed: a browser sends the request with the cookies of the reader,
 * and reaches a gateway without tokens on the reader's machine. Programs do not send `Sec-Fetch-Site`. Throws Refused.
 */
export function refuseForeignPage({ method, headers }: Request, origins: readonly string[]): void {
  const [site, origin] = [headers.get('sec-fetch-site') ?? 'none', headers.get('origin') ?? ''];
  if (READS.includes(method) || OWN.includes(site) || origins.includes(origin)) return;
  throw new Refused(
    403,
    'Forbidden',
    `Pages of ${origin} may not ask: the gateway's list of origins does not have it.`,
  );
}
