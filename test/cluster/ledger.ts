import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import postgres from 'postgres';

/** A tool begins, or takes effect. */
export interface Entry {
  type: 'began' | 'effect';
  tool: string;
  n: number;
  /** Workflow id and run id of the run, and the id of the activity. */
  root: string;
  runId: string;
  activityId: string;
  call: string;
  key: string;
  at: number;
}

/** The world outside, in which tools take effect. */
export interface Ledger {
  write(entry: Entry): Promise<void>;
  hasEffect(key: string): Promise<boolean>;
  read(): Promise<Entry[]>;
  close(): Promise<void>;
}

/** `place`: URL of a PostgreSQL database, or the path of a file. */
export function openLedger(place: string): Ledger {
  return place.startsWith('postgres:') ? databaseLedger(place) : fileLedger(place);
}

/** Makes a database for effects; returns its URL. */
export async function makeLedger(databaseServer: string): Promise<string> {
  const server = postgres(`${databaseServer}/postgres`);
  await server`create database effects`;
  await server.end();
  const url = `${databaseServer}/effects`;
  const sql = postgres(url);
  await sql`create table entries (key text, type text, entry text)`;
  await sql`create index on entries (key)`;
  await sql.end();
  return url;
}

function databaseLedger(url: string): Ledger {
  const sql = postgres(url, { max: 4, connect_timeout: 5 });
  return {
    async write(entry) {
      await sql`insert into entries values (${entry.key}, ${entry.type}, ${JSON.stringify(entry)})`;
    },
    async hasEffect(key) {
      const rows = await sql`select 1 from entries where key = ${key} and type = 'effect'`;
      return rows.length > 0;
    },
    async read() {
      const rows = await sql<{ entry: string }[]>`select entry from entries`;
      return rows.map(({ entry }) => JSON.parse(entry) as Entry); // as written
    },
    close: () => sql.end(),
  };
}

/** Not a database: each entry is one write to the end of the file, which outlives the process that wrote it. */
function fileLedger(file: string): Ledger {
  const read = () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Entry); // as written
  };
  return {
    write: async (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`),
    hasEffect: async (wanted) => read().some(({ key, type }) => key === wanted && type === 'effect'),
    read: async () => read(),
    close: async () => undefined,
  };
}
