// Workflow's SDK in the server that Nitro has built, in this process. Its start has no id of the client's: the program keeps the ids in files.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { delegates, needsApproval, serve, stateFolder } from '../adapters/serve.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
process.chdir(here); // where the world is looked for
const build = `${stateFolder}/build`;
Object.assign(process.env, {
  WORKFLOW_TARGET_WORLD: '@workflow/world-postgres',
  WORKFLOW_POSTGRES_URL: process.env.POSTGRES_URL,
  BUILD_FOLDER: build,
  HOST: '127.0.0.1',
  PORT: `${await freePort()}`,
});
if (!existsSync(build)) {
  const run = (...args) => execFileSync(process.execPath, args, { stdio: 'inherit' });
  run('node_modules/@workflow/world-postgres/bin/setup.js');
  run('node_modules/nitro/dist/cli/index.mjs', 'build');
}
await import(`${build}/server/index.mjs`);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ask(body) {
  const answer = await fetch(`http://127.0.0.1:${process.env.PORT}/runs`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
const fileOf = (id) => `${stateFolder}/${id}.run`;
const runOf = (id) => (existsSync(fileOf(id)) ? readFileSync(fileOf(id), 'utf8') : undefined);
const starting = new Map();

serve({
  async start(id, question) {
    if (runOf(id) !== undefined || starting.has(id)) return starting.get(id);
    const started = ask({ what: 'start', agent: delegates(id) ? 'office' : 'clerk', question }).then(
      ({ run }) => {
        writeFileSync(`${fileOf(id)}.new`, run);
        renameSync(`${fileOf(id)}.new`, fileOf(id));
      },
    );
    starting.set(id, started);
    return started;
  },
  async read(id) {
    const run = runOf(id);
    if (run === undefined) return { state: 'running' };
    const { status, value } = await ask({ what: 'read', run });
    if (status === 'completed') return { state: 'done', answer: value };
    if (status === 'cancelled') return { state: 'cancelled' };
    if (status === 'failed') return { state: 'failed', error: status };
    const { isWaiting } = needsApproval(id) ? await ask({ what: 'waiting', token: id }) : {};
    return isWaiting ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  approve: (id) => ask({ what: 'approve', token: id }),
  cancel: async (id) => ask({ what: 'cancel', run: runOf(id) }),
});
