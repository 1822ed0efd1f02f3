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

/**
 * Refuses a request by a name that is not listed: a page of a foreign name whose address was changed to the reader's machine counts as the
 * gateway's own page (DNS rebinding). Throws Refused.
 */
export function refuseForeignHost({ url }: Request, hosts: readonly string[]): void {
  const { hostname } = new URL(url);
  if (hosts.includes(hostname)) return;
  throw new Refused(403, 'Forbidden', `This gateway is not ${hostname}. Its names: ${hosts.join(', ')}.`);
}
