import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { replaceFile } from '../../../local/server/json-file.ts';
import { type ProcessIdentity, identify } from '../../../local/server/process-identity.ts';
import { processPlace } from './process-place.ts';

/**
 * Journal of the attempts in progress in one worker process. After a crash the next process reads which attempts were lost.
 * JSON lines: first the process, then an object for each attempt that starts, and a list of numbers for those that have ended.
 */

/** An attempt of an activity, as the worker that runs it knows it. */
export interface BegunAttempt {
  workflowId: string;
  runId: string;
  activityId: string;
  attempt: number;
  taskQueue: string;
  /** The worker's identity, as the server knows it. */
  identity: string;
  /** Time of its start: milliseconds since 1970, by this machine's clock. */
  at: number;
}

/** Scope of a journal: workers of one server and namespace end each other's attempts. */
export interface JournalScope {
  namespace: string;
  /** undefined: not known. */
  address: string | undefined;
}

export interface JournalOwner extends ProcessIdentity, JournalScope {
  version: typeof VERSION;
  /** Machine or container in which the process id is valid. */
  place: string;
}

export interface AttemptJournal {
  /** Records the beginning of an attempt; the returned function records its end. Never throws. */
  begin(attempt: BegunAttempt): () => void;
}

export const VERSION = 1;
export const JOURNAL_SUFFIX = '.jsonl';

/**
 * The SDK reports an attempt's end to the server after our code; a worker that is killed in between has lost it as
 * well.
 */
const END_MS = 500;
/** Size at which a file is rewritten with the attempts under way, or four times their size if that is more. */
const COMPACT_BYTES = 64_000;
const COMPACT_TIMES = 4;

const journals = new Map<string, { file: string; journal: AttemptJournal }>();
const atExit: (() => void)[] = [];

/**
 * The journal of this process in a state folder. Throws where the folder cannot be written. What cannot be written
 * later is left out: then the server finds out on its own that an attempt is lost.
 */
export async function openJournal(stateDir: string, scope: JournalScope): Promise<AttemptJournal> {
  const folder = journalFolder(stateDir);
  const key = JSON.stringify([folder, scope.namespace, scope.address]);
  const owner = {
    version: VERSION,
    ...(await identify(process.pid)),
    place: processPlace(),
    ...scope,
  } as const;
  const known = journals.get(key);
  if (known !== undefined && existsSync(known.file)) return known.journal;
  makeFolder(folder);
  const file = join(folder, `${process.pid}-${randomUUID()}${JOURNAL_SUFFIX}`);
  const journal = writeJournal(file, owner);
  journals.set(key, { file, journal });
  return journal;
}

export function journalFolder(stateDir: string): string {
  return resolve(stateDir, 'attempts');
}

/**
 * Owner and the attempts that have not ended; undefined if the file has another version. A torn line is skipped.
 */
export function readJournal(file: string): { owner: JournalOwner; attempts: BegunAttempt[] } | undefined {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1).map(parsed);
  const owner = lines[0] as JournalOwner | undefined; // written below, if the version is ours
  if (owner?.version !== VERSION) return undefined;
  const open = new Map<number, BegunAttempt>();
  for (const line of lines.slice(1)) {
    if (Array.isArray(line)) for (const n of line) open.delete(Number(n));
    else if (isBegun(line)) open.set(line.n, line);
  }
  return { owner, attempts: [...open.values()] };
}

/** Makes a folder that only its user can read, and that version control ignores. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

/**
 * Written in place, for it has to be there when the attempt ends its process at once: one line into the system's memory, which
 * outlives the process, takes some microseconds.
 */
function writeJournal(file: string, owner: JournalOwner): AttemptJournal {
  const open = new Map<number, string>();
  let ended: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let bytes = 0;
  let limit = COMPACT_BYTES;
  let descriptor = openSync(file, 'ax', 0o600);

  const append = (lines: string) => {
    try {
      bytes += writeSync(descriptor, lines);
      if (bytes > limit) compact();
    } catch {
      // A full disk, or a folder that is gone.
    }
  };
  const compact = () => {
    const text = lineOf(owner) + [...open.values()].join('');
    replaceFile(file, text);
    closeSync(descriptor);
    descriptor = openSync(file, 'a');
    bytes = Buffer.byteLength(text);
    limit = Math.max(COMPACT_BYTES, COMPACT_TIMES * bytes);
  };
  const writeEnds = () => {
    timer = undefined;
    for (const n of ended) open.delete(n);
    append(lineOf(ended));
    ended = [];
  };
  append(lineOf(owner));
  if (atExit.length === 0) process.once('exit', () => atExit.forEach((end) => end()));
  atExit.push(() => {
    // Attempts under way now are lost, and stay for the next worker.
    if (open.size > ended.length) writeEnds();
    else rmSync(file, { force: true });
  });

  return {
    begin(attempt) {
      const n = ++last;
      const line = lineOf({ n, ...attempt });
      open.set(n, line);
      append(line);
      return () => {
        ended.push(n);
        timer ??= setTimeout(writeEnds, END_MS).unref();
      };
    },
  };
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isBegun(line: unknown): line is BegunAttempt & { n: number } {
  return typeof line === 'object' && line !== null && 'n' in line && 'identity' in line;
}
