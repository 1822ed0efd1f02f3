import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanEnv, root } from '../support/cli.ts';
import { fetchNpm, nodeIn, nodePackage } from '../support/npm-packages.ts';
import { type PackedPackage, layOutPackage } from '../support/packed-package.ts';

/**
 * The packed package, and the unit tests that depend on Node itself, on each Node that the package is for. The whole unit project, and other
 * versions, by hand: `NODE_UNIT=all NODE_VERSIONS=26.12.1 npx vitest run --project release test/release/node-versions.test.ts`.
 */
const EACH = ['20.19.0', '22.23.3', '24.21.0', '25.9.0', '26.12.1'];
const versions = process.env['NODE_VERSIONS']?.split(',') ?? EACH;
const TOO_OLD = '18.20.8';
const run = promisify(execFile);

/** An agent with the Python tool, on the embedded server. */
const program = `
import { defineAgent, defineConfig, python, runAgentHere } from 'reloop';
import { scripted } from 'reloop/testing';

const model = scripted([{ toolCalls: [{ name: 'python', arguments: { input: 'print(6 * 7)' } }] }, { text: 'The end.' }]);
const config = defineConfig({ agents: [defineAgent({ name: 'adder', model, tools: [python()] })] });
const { output, intermediateSteps } = await runAgentHere(config, 'adder', 'What is 6 times 7?');
console.log(process.version, output, intermediateSteps.map(({ observation, attempts }) => [observation, attempts]));
`;

/** Asks a model over HTTP, which is busy at first: whole and streamed, with the newest openai that the Node can have. */
const asking = `
import { createServer } from 'node:http';
import { defineAgent, defineConfig, openai, runAgentHere } from 'reloop';

const choice = (stream) => (stream ? { delta: { role: 'assistant', content: 'Hello.' } } : { message: { role: 'assistant', content: 'Hello.' } });
let requests = 0;
const server = createServer(async (request, response) => {
  const { stream = false } = JSON.parse((await request.toArray()).join(''));
  if (requests++ === 0) return response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"message":"busy"}}');
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  const body = { id: 'c', object: 'x', created: 1, model: 'm', choices: [{ index: 0, finish_reason: 'stop', ...choice(stream) }] };
  response.end(stream ? 'data: ' + JSON.stringify(body) + '\\n\\ndata: [DONE]\\n\\n' : JSON.stringify(body));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const baseURL = 'http://127.0.0.1:' + server.address().port + '/v1';
const model = openai('m', { baseURL, apiKey: 'k' });
const agents = [true, false].map((stream) => defineAgent({ name: 'stream-' + stream, model, stream }));
for (const { name } of agents) console.log(name, (await runAgentHere(defineConfig({ agents }), name, 'Hi')).output, requests);
process.exit(0);
`;

/** Sends the spans and metrics of a run, with OpenTelemetry's SDK 3, which needs Node 22. */
const traced = `
import { createServer } from 'node:http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { defineAgent, defineConfig, runAgentHere, traceIds } from 'reloop';
import { scripted } from 'reloop/testing';

const sent = [];
const server = createServer(async (request, response) => {
  sent.push(Buffer.concat(await request.toArray()).toString());
  response.end();
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const exporter = { ENDPOINT: 'http://127.0.0.1:' + server.address().port, PROTOCOL: 'http/json' };
for (const [name, value] of Object.entries(exporter)) process.env['OTEL_EXPORTER_OTLP_' + name] = value;
process.env.OTEL_METRICS_EXPORTER = 'otlp';
const sdk = new NodeSDK({ idGenerator: traceIds });
sdk.start();
const agent = defineAgent({ name: 'desk', model: scripted([{ text: 'The end.' }]) });
const { output } = await runAgentHere(defineConfig({ agents: [agent], telemetry: true }), 'desk', 'Hi');
await sdk.shutdown();
const names = ['invoke_agent desk', 'chat desk', 'attempt', 'gen_ai.client.token.usage'];
console.log(output, names.filter((name) => sent.some((body) => body.includes('"name":"' + name + '"'))).length);
process.exit(0);
`;

/** The tests of what is made of Node's own parts: processes and their permissions, fetch. */
const FILES = [
  'adapters/tools/python/python',
  'adapters/models/openai/transport/light-fetch',
  'agent/values/retry-after',
].map((file) => `test/unit/${file}.test.ts`);

/** Needs Node 22. The checkout has 6, which runs on each Node. */
const OPENAI = '7.59.0';

/** Has version 3.1.0 of the SDK. The checkout has 2. */
const OTEL = '0.301.0';

const name = `node-${[TOO_OLD, ...versions].join('-')}-openai-${OPENAI}-otel-${OTEL}`;
const packages = [
  ...[TOO_OLD, ...versions].map(nodePackage),
  `openai@${OPENAI}`,
  `@opentelemetry/sdk-node@${OTEL}`,
];
const fetched = await fetchNpm({ name, packages });
const title = 'missing' in fetched ? ` (skipped: no other Node here: ${fetched.missing})` : '';
const nodes = 'missing' in fetched ? '' : fetched.folder;

describe.skipIf('missing' in fetched)(`under Node${title}`, () => {
  let packed: PackedPackage;
  let main: string;
  beforeAll(async () => {
    packed = await layOutPackage();
    main = join(packed.folder, 'node_modules/reloop/dist/cli/main.js');
    await writeFile(join(packed.folder, 'program.mjs'), program);
  });
  afterAll(() => rm(packed.folder, { recursive: true, force: true }));

  describe.each(versions)('%s', (version) => {
    const node = nodeIn(nodes, version);

    test('a project is begun, and its agent answers', async () => {
      const { folder, env } = packed;
      const project = `agent-${version}`;
      await run(node, [main, 'init', project, '--no-install'], { cwd: folder, env });
      const args = [main, 'run', 'assistant', 'What do 3 lamps cost?'];
      const { stdout } = await run(node, args, { cwd: join(folder, project), env });
      expect(stdout).toContain('3 lamps cost 135 euros.\n');
    });

    test('an agent of the package runs Python', async () => {
      const env = { ...packed.env, RELOOP_STATE_DIR: join(packed.folder, `state-${version}`) };
      const { stdout } = await run(node, ['program.mjs'], { cwd: packed.folder, env });
      expect(stdout).toContain(String.raw`v${version} The end. [ [ '42\n', 1 ] ]`);
    });

    const hasNewest = Number.parseInt(version, 10) >= 22;
    test(`an agent asks a model by openai ${hasNewest ? OPENAI : 6}`, async () => {
      const own = join(packed.folder, 'node_modules/reloop/node_modules');
      await rm(own, { recursive: true, force: true });
      await mkdir(own);
      if (hasNewest) await symlink(join(nodes, 'node_modules/openai'), join(own, 'openai'));
      await writeFile(join(packed.folder, 'asking.mjs'), asking);
      const { stdout } = await run(node, ['asking.mjs'], { cwd: packed.folder, env: packed.env });
      expect(stdout).toBe('stream-true Hello. 2\nstream-false Hello. 3\n');
    });

    test.runIf(hasNewest)(`spans and metrics are sent by @opentelemetry/sdk-node ${OTEL}`, async () => {
      const own = join(packed.folder, 'node_modules/@opentelemetry');
      await rm(own, { recursive: true, force: true });
      await symlink(join(nodes, 'node_modules/@opentelemetry'), own);
      await writeFile(join(packed.folder, 'traced.mjs'), traced);
      const { stdout } = await run(node, ['traced.mjs'], { cwd: packed.folder, env: packed.env });
      expect(stdout).toBe('The end. 4\n');
    });

    const files = process.env['NODE_UNIT'] === 'all' ? [] : FILES;
    test(`the unit tests pass, and end: ${files.join(', ') || 'all'}`, async () => {
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      const { stdout } = await run(node, [vitest, 'run', '--project', 'unit', ...files], {
        cwd: root,
        env: cleanEnv(),
        maxBuffer: 2 ** 26,
      });
      expect(stdout).toMatch(/\d+ passed, 0 failed/u);
    });
  });

  test(`${TOO_OLD}, a command says in one sentence which one is needed`, async () => {
    const { folder, env } = packed;
    const failed = run(nodeIn(nodes, TOO_OLD), [main, 'run', 'assistant', 'x'], { cwd: folder, env });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^error: Reloop needs Node 20\.19 or later, and this is 18\.20\.8\. .*\n$/u,
      ),
    });
  });

  test('the types of openai that the sources use are those of its newest version too', async () => {
    const types = join(nodes, 'node_modules/openai');
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        rootDir: '/',
        typeRoots: [join(root, 'node_modules/@types')],
        paths: { openai: [join(types, 'index.d.mts')], 'openai/*': [join(types, '*.d.mts')] },
      },
      include: ['adapters/models', 'gateway'].map((part) => join(root, part, '**/*.ts')),
      exclude: [join(root, 'gateway/inbox/page')],
    };
    const file = join(packed.folder, 'tsconfig.json');
    await writeFile(file, JSON.stringify(config));
    const { stdout } = await run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      file,
    ]);
    expect(stdout).toBe('');
  });
});
