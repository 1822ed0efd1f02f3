import type { TransactionSql } from 'postgres';
import { requirePackage } from '../optional-package.ts';
import { type MemoryEntry, type MemoryStore, bestMatches } from './memory-store.ts';

const CONNECT_S = 10;
/** An open connection keeps a script from ending. */
const IDLE_S = 5;
const MOST_CONNECTIONS = 4;
/** Seconds. Without a limit, postgres 3.4.9 may wait forever for a connection that the server has lost. */
const ENDS = { timeout: 1 };

/**
 * Memories in the table `reloop_memory` of a PostgreSQL database, for workers of any machine. By the package `postgres`. The table is made
 * when it is first used, if it is not there. Throws a TypeError for another URL.
 */
export function postgresMemory(url: string): MemoryStore {
  requirePackage('postgres', 'postgresMemory()');
  if (!/^postgres(?:ql)?:\/\/./u.test(url))
    throw new TypeError('postgresMemory(): url has to begin with postgres:// or postgresql://.');
  let current: ReturnType<typeof connect> | undefined;
  const connected = () => {
    current ??= connect(url);
    current.catch(() => (current = undefined));
    return current;
  };
  return {
    async put({ tenant, scope }, { key, text, updatedAt }, max) {
      const sql = await connected();
      const { count } = await sql`
        INSERT INTO reloop_memory (tenant, scope, key, text, updated_at)
        SELECT ${tenant}::text, ${scope}::text, ${key}::text, ${text}::text, ${updatedAt}::bigint
        WHERE EXISTS (SELECT 1 FROM reloop_memory WHERE tenant = ${tenant} AND scope = ${scope} AND key = ${key})
          OR (SELECT count(*) FROM reloop_memory WHERE tenant = ${tenant} AND scope = ${scope}) < ${max}::int
        ON CONFLICT (tenant, scope, key) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`;
      return count > 0;
    },
    async search({ tenant, scope }, query, limit) {
      const sql = await connected();
      const rows = await sql<MemoryEntry[]>`
        SELECT key, text, updated_at::float8 AS "updatedAt" FROM reloop_memory
        WHERE tenant = ${tenant} AND scope = ${scope}`;
      return bestMatches(rows, query, limit);
    },
    async delete({ tenant, scope }, key) {
      const sql = await connected();
      const ofKey = key === undefined ? sql`` : sql`AND key = ${key}`;
      await sql`DELETE FROM reloop_memory WHERE tenant = ${tenant} AND scope = ${scope} ${ofKey}`;
    },
    async close() {
      const open = current;
      current = undefined;
      const sql = await open?.catch(() => undefined);
      await sql?.end(ENDS);
    },
  };
}

async function connect(url: string) {
  const { default: postgres } = await import('postgres');
  const sql = postgres(url, {
    max: MOST_CONNECTIONS,
    connect_timeout: CONNECT_S,
    idle_timeout: IDLE_S,
    onnotice: () => undefined,
  });
  try {
    // A user without the right to make tables may have the table already.
    const [found] = await sql`SELECT to_regclass('reloop_memory') AS name`;
    if (found?.['name'] === null) await sql.begin(createTable);
    return sql;
  } catch (error) {
    await sql.end(ENDS);
    throw error;
  }
}

/** One process at a time: PostgreSQL fails where two make the same table. */
async function createTable(sql: TransactionSql): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('reloop_memory'))`;
  await sql`
    CREATE TABLE IF NOT EXISTS reloop_memory (
      tenant text NOT NULL,
      scope text NOT NULL,
      key text NOT NULL,
      text text NOT NULL,
      updated_at bigint NOT NULL,
      PRIMARY KEY (tenant, scope, key)
    )`;
}
