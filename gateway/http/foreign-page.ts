import { Refused } from './problem.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];
/** Values of `Sec-Fetch-Site` for a request of the gateway's own page, and of a person. */
const OWN = ['same-origin', 'none'];

/**
 * Refuses what a page of another origin asks for, unless the origin is listed: a browser sends the request with the cookies of the reader,
 * and reaches a gateway without tokens on the reader's machine. Browsers send `Sec-Fetch-Site` to https and to this machine only (Fetch
 * Metadata, W3C), so the origin decides where the header is missing. Programs send neither. Throws Refused.
 */
export function refuseForeignPage({ method, headers, url }: Request, origins: readonly string[]): void {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  const isOwn = site === null ? origin === null || hostOf(origin) === new URL(url).host : OWN.includes(site);
  if (READS.includes(method) || isOwn || origins.includes(origin ?? '')) return;
  throw new Refused(
    403,
    'Forbidden',
    `Pages of ${origin ?? 'other sites'} may not ask: the gateway's list of origins does not have it.`,
  );
}

/** The host of an origin, without its scheme: a proxy with TLS asks by http. Undefined for `null`, the origin of a sandboxed page. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/**
 * Refuses a request by a name that is not listed: a page of a foreign name whose address was changed to the reader's machine counts as the
 * gateway's own page (DNS rebinding). Throws Refused.
 */
export function refuseForeignHost({ url }: Request, hosts: readonly string[]): void {
  const { hostname } = new URL(url);
  if (hosts.includes(hostname)) return;
  throw new Refused(
    403,
    'Forbidden',
    `This gateway is not ${hostname}. Its names, which the option hosts lists: ${hosts.join(', ')}.`,
  );
}
