import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { readJson, writeJson } from './json-file.ts';

const portsSchema = z.object({ grpc: z.number(), ui: z.number() });

const recordSchema = z.object({
  address: z.string(),
  namespace: z.literal('default'),
  uiUrl: z.string(),
  /** Has the dynamic config that makes a step fast. */
  fastSettings: z.boolean(),
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  ports: portsSchema,
  dbFile: z.string(),
  binary: z.object({
    path: z.string(),
    source: z.enum(['TEMPORAL_CLI_PATH', 'PATH', 'cache', 'sdk-download', 'pip-install', 'go-install']),
    /** Version as the binary prints it: `1.5.1 (Server 1.29.1, UI 2.42.1)`. */
    version: z.string(),
  }),
  /** false from its start until it answers. */
  ready: z.boolean(),
});

/** `server.json`: the Temporal server of a project. There while the server is, and after a crash. */
export type ServerRecord = z.output<typeof recordSchema>;
export type TemporalBinary = ServerRecord['binary'];

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
  return recordSchema.safeParse(readJson(stateFiles(stateDir).record)).data;
}

export function writeRecord(stateDir: string, record: ServerRecord): void {
  writeJson(stateFiles(stateDir).record, record);
}

export async function removeRecord(stateDir: string): Promise<void> {
  await rm(stateFiles(stateDir).record, { force: true });
}

/** The ports that the project's last server had; undefined: there was none. */
export function readPorts(stateDir: string): ServerRecord['ports'] | undefined {
  return portsSchema.safeParse(readJson(stateFiles(stateDir).ports)).data;
}

export function writePorts(stateDir: string, ports: ServerRecord['ports']): void {
  try {
    writeJson(stateFiles(stateDir).ports, ports);
  } catch {
    // The next server then looks for free ports.
  }
}
