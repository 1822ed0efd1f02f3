import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where this process's id means something: this machine or, of containers that share a folder, this container. */
export function processPlace(): string {
  return `${hostname()} ${processNamespace()}`;
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // only Linux has them
  }
}
