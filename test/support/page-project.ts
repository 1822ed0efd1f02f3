import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from '../../client/index.ts';
import { startScriptedServer } from '../../testing.ts';
import { cleanEnv, reloop, root } from './cli.ts';
import { freePort } from './dev-server.ts';
import { pageModel } from './page-model.ts';

/** A user's project with a `reloop dev` of its own, in which the commands of a page are typed. */
export interface PageProject {
  folder: string;
  /** Where Temporal and its Web UI are. */
  address: string;
  uiUrl: string;
  modelUrl: string;
  /** A line as a shell takes it, once all runs have come to rest; resolves with what a terminal would show. */
  type(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Tools that stay under way: a run whose only work they are has come to rest. */
const LONG = new Set(['call_bank']);

export async function startPageProject(): Promise<PageProject> {
  const folder = layOut();
  const model = await startScriptedServer(pageModel);
  const [port, uiPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const env = cleanEnv({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', TZ: 'UTC' });
  env['PATH'] = `${join(folder, 'bin')}${delimiter}${env['PATH'] ?? ''}`;
  const dev = reloop(['dev', '--port', `${port}`, '--ui-port', `${uiPort}`], asStrings(env), folder);
  await dev.prints('Ctrl-C ends it');
  const client = await AgentClient.connect({ address });
  const ids = new Set<string>();
  /** Runs that a command may have set going, and that nobody has found at rest since. */
  const stirred = new Set<string>();
  return {
    folder,
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    modelUrl: model.url,
    async type(line) {
      for (const id of stirred) await atRest(client, id);
      stirred.clear();
      for (const [, id = ''] of line.matchAll(/ --id (\S+)/gu)) ids.add(id);
      const named = [...ids].filter((id) => line.includes(id));
      for (const id of named.length === 0 ? ids : named) stirred.add(id);
      return shown(line, folder, env);
    },
    async stop() {
      await client.close();
      dev.child.kill('SIGTERM');
      await dev.exit;
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A project as a user has it, with `reloop` on the PATH. */
function layOut(): string {
  // A link on the way would show in paths that commands print.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reloop-page-')));
  for (const name of ['bin', 'node_modules']) mkdirSync(join(folder, name));
  symlinkSync(root, join(folder, 'node_modules/reloop'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  copyFileSync(join(root, 'test/fixtures/transcripts/reloop.config.ts'), join(folder, 'reloop.config.ts'));
  const command = join(folder, 'bin/reloop');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
}

/** What stdout and stderr say, in the order in which a terminal would show it. */
async function shown(line: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(folder, 'bin/shown');
  const out = openSync(file, 'w');
  const child = spawn('sh', ['-c', line], { cwd: folder, env, stdio: ['ignore', out, out] });
  await once(child, 'close');
  closeSync(out);
  return readFileSync(file, 'utf8');
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

function asStrings(env: NodeJS.ProcessEnv): { [name: string]: string } {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? '']));
}
