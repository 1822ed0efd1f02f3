import { hostname } from 'node:os';
import { pidHere, processExists } from '../local/server/process-identity.ts';

const roles = ['worker', 'dev', 'run', 'program'] as const;

/** `reloop run` ends with its run, a `program` with its program; the others stay until they are ended. */
export type WorkerRole = (typeof roles)[number];

/** A worker on this machine that is alive, by its identity. */
export interface LocalWorker {
  role: WorkerRole;
  /** undefined: the project's own. */
  config: string | undefined;
}

/** The identity of a worker in this process: `reloop dev 4711@host other.config.ts`. */
export function workerIdentity(role: WorkerRole, config: string | undefined): string {
  return `reloop ${role} ${process.pid}@${hostname()}${config === undefined ? '' : ` ${config}`}`;
}

/** Reads the identity of a worker on this machine that is alive; undefined for any other. */
export function localWorker(identity: string): LocalWorker | undefined {
  const [, name, config] = /^reloop (\w+) \d+@\S+(?: (.+))?$/u.exec(identity) ?? [];
  const role = roles.find((one) => one === name);
  const pid = pidHere(identity);
  return role !== undefined && pid !== undefined && processExists(pid) ? { role, config } : undefined;
}

/**
 * True for the identity of a live worker on this machine that is long-running, or that is a program with a separate
 * config.
 */
export function isResidentWorker(identity: string): boolean {
  const worker = localWorker(identity);
  if (worker === undefined) return false;
  return worker.role === 'program' ? worker.config !== undefined : worker.role !== 'run';
}
