import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Scope in which this process's id is valid: this machine or, for containers that share a folder, this container. */
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
