import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from '../../client/index.ts';
import { startScriptedServer } from '../../features/testing/index.ts';
import { root } from './cli.ts';
import { freePort } from './dev-server.ts';
import type { PackedPackage } from './packed-package.ts';
import { pageModel } from './page-model.ts';
import { type Terminal, openTerminal } from './terminal.ts';

/** A user's project with a `reloop dev` of its own, in which the commands of a page are typed. */
export interface PageProject extends Pick<Terminal, 'type' | 'keepRunning'> {
  folder: string;
  /** What is said here, and what a reader sees of it: the usual ports, and no folder of this machine. */
  samples: readonly [string, string][];
  /** Host and port of the Temporal server. */
  address: string;
  /** Where the Web UI is. */
  uiUrl: string;
  stop(): Promise<void>;
}

/** Tools that stay under way: a run whose only work they are has come to rest. */
const LONG = new Set(['call_bank']);

/** The project of test/fixtures/transcripts, with the model of the pages behind it. */
export async function startPageProject({ folder: parent, bin, env }: PackedPackage): Promise<PageProject> {
  const folder = mkdtempSync(join(parent, 'project-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  copyFileSync(join(root, 'test/fixtures/transcripts/reloop.config.ts'), join(folder, 'reloop.config.ts'));
  const model = await startScriptedServer(pageModel);
  const [port, uiPort] = [await freePort(), await freePort()];
  const [address, uiUrl] = [`127.0.0.1:${port}`, `http://127.0.0.1:${uiPort}`];
  const terminal = openTerminal(folder, {
    ...env,
    PATH: `${bin}${delimiter}${env['PATH'] ?? ''}`,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'none',
  });
  await startOrClose(terminal, `reloop dev --port ${port} --ui-port ${uiPort}`);
  const client = await AgentClient.connect({ address });
  const ids = new Set<string>();
  /** Runs that a command may have set going, and that nobody has found at rest since. */
  const stirred = new Set<string>();
  return {
    folder,
    address,
    uiUrl,
    samples: [
      [uiUrl, 'http://127.0.0.1:8233'],
      [address, '127.0.0.1:7233'],
      [model.url, 'http://127.0.0.1:8000/v1'],
      [folder, '/home/you/project'],
    ],
    keepRunning: terminal.keepRunning,
    async type(line) {
      for (const id of stirred) await atRest(client, id);
      stirred.clear();
      for (const [, id = ''] of line.matchAll(/ --id (\S+)/gu)) ids.add(id);
      const named = [...ids].filter((id) => line.includes(id));
      for (const id of named.length === 0 ? ids : named) stirred.add(id);
      return terminal.type(line);
    },
    async stop() {
      await client.close();
      await terminal.close();
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startOrClose(terminal: Terminal, dev: string): Promise<void> {
  try {
    await terminal.keepRunning(dev, 'Ctrl-C ends it');
  } catch (error) {
    await terminal.close();
    throw error;
  }
}

/** Waits until nothing more happens before somebody types: people are slower than a test. */
async function atRest(client: AgentClient, id: string): Promise<void> {
  while (!(await isAtRest(client, id))) await sleep(50);
}

async function isAtRest(client: AgentClient, id: string): Promise<boolean> {
  const { raw } = await client.temporal.workflow.getHandle(id).describe();
  const pending = raw.pendingActivities ?? [];
  const isBusy = pending.some(({ activityType }) => !LONG.has(activityType?.name ?? ''));
  if (isBusy || raw.pendingWorkflowTask) return false;
  // What lists runs hears of changes a little later.
  const { status, runId } = await client.get(id).describe();
  const { runs } = await client.listPage({ limit: 200 });
  return runs.find((run) => run.runId === runId)?.status === status;
}
