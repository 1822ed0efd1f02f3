import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod/v4';

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
    source: z.enum(['TEMPORAL_CLI_PATH', 'PATH', 'cache', 'sdk-download', 'go-install']),
    /** As the binary says it: `1.5.1 (Server 1.29.1, UI 2.42.1)`. */
    version: z.string(),
  }),
  /** false from its start until it answers. */
  ready: z.boolean(),
});

/** `server.json`: the Temporal server of a project. There while the server is, and after a crash. */
export type ServerRecord = z.output<typeof recordSchema>;
export type TemporalBinary = ServerRecord['binary'];

/** The folder of this project's server: RELOOP_STATE_DIR, or `.reloop` beside the nearest package.json. */
export function stateDirectory(cwd: string = process.cwd()): string {
  const configured = process.env['RELOOP_STATE_DIR'];
  return configured === undefined || configured === ''
    ? join(projectFolder(cwd), '.reloop')
    : resolve(cwd, configured);
}

export function stateFiles(stateDir: string) {
  return {
    /** Who keeps the server; see lock-file.ts. */
    keeper: join(stateDir, 'keeper.json'),
    record: join(stateDir, 'server.json'),
    log: join(stateDir, 'server.log'),
    db: join(stateDir, 'temporal.db'),
    /** Where the last server was, for the next one. */
    ports: join(stateDir, 'ports.json'),
  };
}

/**
 * For the eyes of its user only, as every prompt and answer is in it, also where an older one was open to others; and
 * out of version control by itself.
 */
export async function makeStateDirectory(stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const { record, log, db } = stateFiles(stateDir);
  // The folder may be one that the user shares with others on purpose; these files are ours.
  const ours = [record, log, db, `${db}-wal`, `${db}-shm`].filter((file) => existsSync(file));
  await Promise.all(ours.map((file) => chmod(file, 0o600).catch(() => undefined))); // some go under our eyes
  const ignore = join(stateDir, '.gitignore');
  if (!existsSync(ignore)) await writeFile(ignore, '*\n');
}

/** undefined: there is none, or another version of Reloop wrote it. */
export async function readRecord(stateDir: string): Promise<ServerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(stateFiles(stateDir).record, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Whoever reads sees the old record or the new one, never half of one. */
export async function writeRecord(stateDir: string, record: ServerRecord): Promise<void> {
  const { record: file } = stateFiles(stateDir);
  await writeFile(`${file}.new`, JSON.stringify(record, undefined, 2));
  await rename(`${file}.new`, file);
}

export async function removeRecord(stateDir: string): Promise<void> {
  await rm(stateFiles(stateDir).record, { force: true });
}

/** The ports that the project's last server had; undefined: there was none. */
export async function readPorts(stateDir: string): Promise<ServerRecord['ports'] | undefined> {
  try {
    return portsSchema.parse(JSON.parse(await readFile(stateFiles(stateDir).ports, 'utf8')));
  } catch {
    return undefined;
  }
}

export async function writePorts(stateDir: string, ports: ServerRecord['ports']): Promise<void> {
  await writeFile(stateFiles(stateDir).ports, JSON.stringify(ports), { mode: 0o600 });
}

function projectFolder(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return resolve(cwd);
  }
}
