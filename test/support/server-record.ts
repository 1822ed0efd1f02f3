import type { ServerRecord } from '../../local/server/state-folder.ts';

/** A server of a project as its folder has it. */
export function serverRecord(more: Partial<ServerRecord> = {}): ServerRecord {
  return {
    address: '127.0.0.1:7233',
    namespace: 'default',
    uiUrl: 'http://127.0.0.1:8233',
    ports: { grpc: 7233, ui: 8233 },
    pid: 1,
    startedAt: null,
    dbFile: 'temporal.db',
    fastSettings: true,
    binary: { path: '/bin/temporal', source: 'PATH', version: '1.5.1' },
    ready: true,
    ...more,
  };
}
