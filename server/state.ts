import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

const recordSchema = z.object({
  address: z.string(),
  namespace: z.literal('default'),
  uiUrl: z.string(),
  ports: z.object({ grpc: z.number(), ui: z.number() }),
  pid: z.int().positive(),
  born: z.string().nullable(),
  dbFile: z.string(),
  fastSettings: z.boolean(),
  binary: z.object({
    path: z.string(),
    source: z.enum(['TEMPORAL_CLI_PATH', 'PATH', 'cache', 'sdk-download', 'go-install']),
    version: z.string(),
  }),
  /** false from its start until it answers. */
  ready: z.boolean(),
});

/** `server.json`: the Temporal server of a project. There while the server is, and after a crash. */
export type ServerRecord = z.output<typeof recordSchema>;

export interface StateFiles {
  /** Who keeps the server; see lock-file.ts. */
  keeper: string;
  record: string;
  log: string;
  db: string;
}

/** The folder of this project's server: RELOOP_STATE_DIR, or `.reloop` beside the nearest package.json. */
export function stateDirectory(cwd: string = process.cwd()): string {
  const configured = process.env['RELOOP_STATE_DIR'];
  return configured === undefined || configured === ''
    ? join(projectFolder(cwd), '.reloop')
    : resolve(cwd, configured);
}

export function stateFiles(stateDir: string): StateFiles {
  return {
    keeper: join(stateDir, 'keeper.json'),
    record: join(stateDir, 'server.json'),
    log: join(stateDir, 'server.log'),
    db: join(stateDir, 'temporal.db'),
  };
}

/** Keeps the folder out of version control by itself. */
export async function makeStateDirectory(stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true });
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

function projectFolder(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return resolve(cwd);
  }
}
