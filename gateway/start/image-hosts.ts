import { BlockList, isIP } from 'node:net';
import type { Input, InputPart } from '../../client/index.ts';
import { bad } from '../http/read-body.ts';

/** Addresses that are not of the internet: this machine, private networks, links, and clouds' metadata (RFC 6890). */
const inner = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  inner.addSubnet(address, bits, 'ipv4');
  inner.addSubnet(`64:ff9b::${address}`, 96 + bits, 'ipv6'); // NAT64
  inner.addSubnet(`::${address}`, 96 + bits, 'ipv6');
}
for (const [address, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  inner.addSubnet(address, bits, 'ipv6');
}
/** Names that only a private network knows (RFC 6761, 6762, 8375; `.internal` by ICANN). A name without a dot is one too. */
const INNER_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan)$|^[^.]+$/u;

/**
 * Checks the URLs of images in a question: the server of a model fetches them, perhaps from inside of a network. `hosts`: only of these.
 * Default: no user name, and no address of a private network. Throws Refused.
 */
export function checkImageUrls(input: Input, hosts: readonly string[] | undefined): void {
  if (typeof input === 'string') return;
  for (const part of input) {
    const url = urlOf(part);
    if (url === undefined) continue;
    if (url.username !== '' || url.password !== '')
      throw bad(`The URL of an image at ${url.host} has a user name or a password. Send the image itself.`);
    const name = url.hostname.replace(/\.$/u, '');
    if (hosts === undefined ? isInner(name) : !hosts.includes(name))
      throw bad(`An image at ${url.host} cannot be asked about here. Send the image itself, as a data: URL.`);
  }
}

/** Undefined for a part that is not a URL of an image. The client checks all else of a URL. */
function urlOf(part: InputPart): URL | undefined {
  if (part.type !== 'image') return undefined;
  const text = part.image instanceof URL ? part.image.href : part.image;
  if (typeof text !== 'string' || !/^\s*https?:/iu.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

function isInner(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/u, '$1');
  switch (isIP(address)) {
    case 4:
      return inner.check(address, 'ipv4');
    case 6:
      return inner.check(address, 'ipv6');
    default:
      return INNER_NAME.test(hostname);
  }
}
