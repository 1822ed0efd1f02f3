import type { Heartbeats } from '../config/heartbeats-option.ts';

/** Default heartbeats: lively if they are not billed, that is with a server on this machine. */
export function usualHeartbeats(address: string | undefined): Heartbeats {
  return address !== undefined && isHere(address) ? 'lively' : 'frugal';
}

/** `[::1]:7233` and `localhost:7233`, among others. */
function isHere(address: string): boolean {
  const host = /^(.+):\d+$/u.exec(address)?.[1] ?? address;
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/iu.test(host);
}
