import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { requirePackage } from '../optional-package.ts';
import { type MemoryEntry, type MemoryStore, bestMatches } from './memory-store.ts';

/** The part of `node:sqlite` that `libsql` has as well. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: (string | number)[]): { changes: number | bigint };
    all(...values: (string | number)[]): unknown[];
  };
  close(): void;
}

type OpenDatabase = (file: string) => Database;

/** Another process writes for milliseconds. A longer wait would hold up this worker, so the attempt fails and comes again. */
const BUSY_MS = 1000;

const SETUP = `
  PRAGMA busy_timeout = ${BUSY_MS};
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS reloop_memory (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, scope, key)
  );`;

const PUT = `
  INSERT INTO reloop_memory (tenant, scope, key, text, updated_at)
  SELECT ?, ?, ?, ?, ?
  WHERE EXISTS (SELECT 1 FROM reloop_memory WHERE tenant = ? AND scope = ? AND key = ?)
    OR (SELECT count(*) FROM reloop_memory WHERE tenant = ? AND scope = ?) < ?
  ON CONFLICT (tenant, scope, key) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`;

/**
 * Memories in a file of SQLite, for the workers of one machine. By `node:sqlite`, which Node has from 22.13 on; before that, by the package
 * `libsql`. Throws an Error where neither is there. The file and its folder are made when they are first used.
 */
export function sqliteMemory(file: string): MemoryStore {
  const open = driver();
  let database: Database | undefined;
  const opened = () => {
    if (database !== undefined) return database;
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
    const fresh = open(file);
    try {
      fresh.exec(SETUP);
    } catch (error) {
      fresh.close(); // another process is making the table: the next attempt opens the file again
      throw error;
    }
    return (database = fresh);
  };
  return {
    async put({ tenant, scope }, { key, text, updatedAt }, max) {
      const values = [tenant, scope, key, text, updatedAt, tenant, scope, key, tenant, scope, max];
      return (
        Number(
          opened()
            .prepare(PUT)
            .run(...values).changes,
        ) > 0
      );
    },
    async search({ tenant, scope }, query, limit) {
      const sql =
        'SELECT key, text, updated_at AS updatedAt FROM reloop_memory WHERE tenant = ? AND scope = ?';
      const rows = opened().prepare(sql).all(tenant, scope) as MemoryEntry[]; // the columns of the table
      return bestMatches(
        rows.map(({ ...row }) => row),
        query,
        limit,
      );
    },
    async delete({ tenant, scope }, key) {
      const sql = 'DELETE FROM reloop_memory WHERE tenant = ? AND scope = ?';
      if (key === undefined) opened().prepare(sql).run(tenant, scope);
      else opened().prepare(`${sql} AND key = ?`).run(tenant, scope, key);
    },
    async close() {
      database?.close();
      database = undefined;
    },
  };
}

function driver(): OpenDatabase {
  const builtIn = process.getBuiltinModule('node:sqlite') as
    { DatabaseSync: new (file: string) => Database } | undefined; // not in the types of Node 20
  if (builtIn !== undefined) return (file) => new builtIn.DatabaseSync(file);
  requirePackage('libsql', 'sqliteMemory() before Node 22.13');
  const Libsql = createRequire(import.meta.url)('libsql') as new (file: string) => Database; // its only export
  return (file) => new Libsql(file);
}
