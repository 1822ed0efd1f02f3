import { openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { anyPorts, freePorts } from '../../local/server/ports.ts';
import { startServer } from '../../local/server/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';

test('two servers are started on one port: only the one that has it is ready', async () => {
  const cwd = tempFolder(onTestFinished);
  const { path: binary } = await findTemporalBinary({ onProgress: () => undefined });
  const ports = await freePorts(anyPorts);
  const stop = new AbortController();
  const start = () =>
    startServer({ binary, ports, dbFile: undefined, cwd, log: openSync(join(cwd, 'log'), 'a') }, stop.signal);
  const servers = [start(), start()];
  try {
    const ends = await Promise.allSettled(servers.map(({ ready }) => ready));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  } finally {
    stop.abort();
    await Promise.all(servers.map(({ ended }) => ended));
  }
});
