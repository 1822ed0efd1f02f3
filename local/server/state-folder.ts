import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsOf, readJson, writeJson } from './json-file.ts';
import type { Ports } from './ports.ts';

/** `server.json`: the Temporal server of a project. There while the server is, and after a crash. */
export interface ServerRecord {
  address: string;
  namespace: 'default';
  uiUrl: string;
  /** Has the dynamic config that makes a step fast. */
  fastSettings: boolean;
  pid: number;
  startedAt: string | null;
  ports: Ports;
  dbFile: string;
  binary: TemporalBinary;
  /** false from its start until it answers. */
  ready: boolean;
}

export interface TemporalBinary {
  path: string;
  source: 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache' | 'sdk-download' | 'pip-install' | 'go-install';
  /** Version as the binary prints it: `1.5.1 (Server 1.29.1, UI 2.42.1)`. */
  version: string;
}

export function stateFiles(stateDir: string) {
  return {
    /** Record of the process that keeps the server; see lock-file.ts. */
    keeper: join(stateDir, 'keeper.json'),
    record: join(stateDir, 'server.json'),
    log: join(stateDir, 'server.log'),
    db: join(stateDir, 'temporal.db'),
    /** Ports of the last server, for the next one. */
    ports: join(stateDir, 'ports.json'),
  };
}

/**
 * Readable only by its user, as it has every prompt and answer, also if an older folder was open to others. Ignored by
 * version control.
 */
export async function makeStateDirectory(stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const { uid } = await stat(stateDir);
  const own = process.getuid?.() ?? uid;
  // The server that another user keeps there would read all prompts, and give this user's worker any call to run.
  if (uid !== own && own !== 0) throw new Error(`it belongs to another user, uid ${uid}`);
  const { record, log, db } = stateFiles(stateDir);
  // The user may share the folder on purpose; these files are Reloop's.
  const ours = [record, log, db, `${db}-wal`, `${db}-shm`].filter((file) => existsSync(file));
  await Promise.all(ours.map((file) => chmod(file, 0o600).catch(() => undefined))); // some go under our eyes
  const ignore = join(stateDir, '.gitignore');
  if (!existsSync(ignore)) await writeFile(ignore, '*\n');
}

/** undefined: the record does not exist, or another version of Reloop wrote it. */
export function readRecord(stateDir: string): ServerRecord | undefined {
  const record = readJson(stateFiles(stateDir).record);
  return isRecord(record) ? record : undefined;
}

/** Checks the fields that say which version wrote the record, and those that a command uses. Without zod: `list` takes 0.89 times the processor time. */
function isRecord(record: unknown): record is ServerRecord {
  const { address, namespace, uiUrl, fastSettings, pid, startedAt, ports, dbFile, ...rest } =
    fieldsOf(record);
  const { path, version } = fieldsOf(rest['binary']);
  return (
    namespace === 'default' &&
    [address, uiUrl, dbFile, path, version].every((text) => typeof text === 'string') &&
    [fastSettings, rest['ready']].every((flag) => typeof flag === 'boolean') &&
    Number(pid) > 0 &&
    (startedAt === null || typeof startedAt === 'string') &&
    arePorts(ports)
  );
}

function arePorts(value: unknown): value is Ports {
  const { grpc, ui } = fieldsOf(value);
  return typeof grpc === 'number' && typeof ui === 'number';
}

export function writeRecord(stateDir: string, record: ServerRecord): void {
  writeJson(stateFiles(stateDir).record, record);
}

export async function removeRecord(stateDir: string): Promise<void> {
  await rm(stateFiles(stateDir).record, { force: true });
}

/** The ports that the project's last server had; undefined: there was none. */
export function readPorts(stateDir: string): Ports | undefined {
  const ports = readJson(stateFiles(stateDir).ports);
  return arePorts(ports) ? ports : undefined;
}

export function writePorts(stateDir: string, ports: Ports): void {
  try {
    writeJson(stateFiles(stateDir).ports, ports);
  } catch {
    // The next server then looks for free ports.
  }
}
