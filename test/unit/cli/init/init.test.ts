import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { cli } from '../../../../cli/cli.ts';
import { sayNext } from '../../../../cli/init/report-init.ts';
import ownPackage from '../../../../package.json' with { type: 'json' };
import { root } from '../../../support/cli.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();
const project = join(folder, 'My Agent');
beforeEach(() => rmSync(project, { recursive: true, force: true }));

const AGENT = ['reloop.config.ts', 'price.ts', 'demo-model.ts', 'reloop.test.ts'];
const DEPLOY = ['Dockerfile', 'docker-compose.yml', 'deploy/dynamic-config.yaml'];
const IGNORED = ['.env.example', '.gitignore', '.dockerignore'];
const AROUND = [...IGNORED, 'tsconfig.json', 'README.md', ...DEPLOY];

const names = z.array(z.string());
const reportSchema = z.object({
  folder: z.string(),
  created: names,
  left: names,
  added: names,
  reloop: z.string(),
  hasConfig: z.boolean(),
  notes: names,
  install: z.string(),
});
const composeSchema = z.object({
  services: z.looseObject({ worker: z.looseObject({ healthcheck: z.looseObject({}) }) }),
  networks: z.unknown(),
  volumes: z.unknown(),
});

/** `reloop init` of the project, nothing installed. */
async function init(...more: string[]) {
  const io = fakeIo();
  const code = await cli(['init', project, '--no-install', '--json', ...more], io);
  const report = code === 0 ? reportSchema.parse(JSON.parse(io.out())) : undefined;
  return { code, report, err: io.err() };
}

describe('reloop init', () => {
  test('writes a project that installs this Reloop', async () => {
    const { code, report } = await init('--package', '^1.2.3');
    expect(code).toBe(0);
    const created = ['package.json', ...AGENT, ...AROUND];
    const nothing = { left: [], added: [], notes: [], hasConfig: false };
    expect(report).toEqual({
      folder: project,
      created,
      ...nothing,
      reloop: '^1.2.3',
      install: 'left to you',
    });
    for (const file of created) expect(existsSync(join(project, file))).toBe(true);
    const dependencies = { reloop: '^1.2.3' };
    expect(read('package.json')).toMatchObject({ name: 'my-agent', type: 'module', dependencies });
    expect(readFileSync(join(project, '.gitignore'), 'utf8').split('\n')).toContain('.env');
  });

  test('changes nothing the second time', async () => {
    await init();
    write('price.ts', 'mine');
    rmSync(join(project, 'demo-model.ts'));
    const before = readFileSync(join(project, 'package.json'), 'utf8');
    const { report } = await init();
    expect(report).toMatchObject({ created: [], added: [], left: AROUND, hasConfig: true });
    expect(readFileSync(join(project, 'package.json'), 'utf8')).toBe(before);
    expect(readFileSync(join(project, 'price.ts'), 'utf8')).toBe('mine');
    expect(existsSync(join(project, 'demo-model.ts'))).toBe(false);
  });

  test('adds what an existing project lacks, and overwrites nothing', async () => {
    const scripts = { start: 'node .', test: NO_TEST };
    const own = { name: 'old', type: 'commonjs', devDependencies: { vitest: '^3.0.0' } };
    write('package.json', JSON.stringify({ ...own, scripts }, undefined, '\t'));
    write('README.md', 'mine');
    write('.gitignore', '/node_modules/\n');
    const { report, err } = await init('--package', '^1.2.3');
    const added = ['scripts.dev', 'scripts.test', 'scripts.typecheck', 'dependencies.reloop'];
    const types = ['devDependencies.@types/node', 'devDependencies.typescript'];
    expect(report).toMatchObject({ left: ['.gitignore', 'README.md'], added: [...added, ...types] });
    const changed = { start: 'node .', dev: 'reloop dev', test: 'vitest run' };
    expect(read('package.json')).toMatchObject({ ...own, scripts: changed });
    expect(readFileSync(join(project, 'package.json'), 'utf8')).toContain('\n\t"name": "old"');
    expect(readFileSync(join(project, 'README.md'), 'utf8')).toBe('mine');
    expect(err).toContain('.gitignore should have .env in it');
    expect(err).toContain('npx reloop run assistant');
  });

  test('leaves the Reloop that a project has, unless one is named', async () => {
    write('package.json', JSON.stringify({ devDependencies: { reloop: '^0.1.0' } }));
    expect((await init()).report).toMatchObject({ reloop: '^0.1.0' });
    expect((await init('--package', '0.3.0')).report).toMatchObject({ reloop: '0.3.0' });
    expect(read('package.json')).toMatchObject({ devDependencies: { reloop: '0.3.0' } });
  });

  test('writes no agent beside a config of another name', async () => {
    write('reloop.config.mjs', '');
    expect((await init()).report).toMatchObject({ created: ['package.json', ...AROUND], hasConfig: true });
    expect(read('package.json')).not.toHaveProperty('scripts.start');
  });

  test('has a checkout installed from its folder, and a tarball from where it lies', async () => {
    const from = (spec: string) => join(project, spec.replace(/^file:/u, ''));
    expect(from((await init()).report?.reloop ?? '')).toBe(dirname(join(root, 'package.json')));
    write('reloop.tgz', '');
    const { report } = await init('--package', join(project, 'reloop.tgz'));
    expect(report?.reloop).toBe('file:reloop.tgz');
    expect(report?.notes.join()).not.toContain('outside the project');
  });

  test('says how a tarball beside the project gets into it, which an image needs', async () => {
    mkdirSync(project, { recursive: true });
    writeFileSync(join(dirname(project), 'reloop-1.tgz'), '');
    const { report } = await init('--package', join(dirname(project), 'reloop-1.tgz'));
    const note = '&& cp ../reloop-1.tgz . && npm install ./reloop-1.tgz`';
    expect(report?.notes).toEqual([expect.stringContaining(note)]);
  });

  test.each([
    ['where the folder is a file', '', 'is a file, and a folder is needed there'],
    ['where a folder of the template is a file', 'deploy', 'is a file, and a folder is needed there'],
    ['beside a package.json that is none', 'package.json', 'cannot be read: SyntaxError'],
  ])('writes nothing %s', async (_, file, said) => {
    if (file === '') writeFileSync(project, '');
    else write(file, '{');
    const { code, err } = await init();
    expect(code).toBe(2);
    expect(err).toContain(said);
    expect(err).toContain('othing was written');
    expect(existsSync(join(project, 'reloop.config.ts'))).toBe(false);
  });

  test("writes nothing where a file of one's own has the name of one that the agent needs", async () => {
    write('price.ts', 'mine');
    const { code, err } = await init();
    expect(code).toBe(2);
    expect(err).toContain("has no config, but price.ts: the agent's files are called so. Rename yours");
    expect(existsSync(join(project, 'package.json'))).toBe(false);
  });

  test.each(['node_modules', 'Node_Modules', 'favicon.ico'])(
    'makes no folder %s, as npm takes none',
    async (name) => {
      const io = fakeIo();
      expect(await cli(['init', join(project, name), '--no-install'], io)).toBe(2);
      expect(io.err()).toContain('npm takes no package');
      expect(existsSync(join(project, name))).toBe(false);
    },
  );

  test('says how to get into a folder that begins with -', () => {
    const io = fakeIo();
    const report = { created: [], left: [], added: [], reloop: '', hasConfig: true, notes: [] };
    sayNext(io, { ...report, folder: join(process.cwd(), '-x') }, { state: 'installed', command: '' });
    expect(io.err()).toContain('  cd ./-x\n');
  });

  test('writes nothing for a package that is not there', async () => {
    const { code, err } = await init('--package', './no-such.tgz');
    expect(code).toBe(2);
    expect(err).toBe('error: --package: there is no ./no-such.tgz here. Nothing was written.\n');
    expect(existsSync(project)).toBe(false);
  });

  test.each([
    ['fails', '#!/bin/sh\necho no such package >&2\nexit 1\n', 'no such package'],
    ['is not there', undefined, 'npm could not be started'],
  ])('keeps the files, and says what to do, where npm %s', async (_, script, said) => {
    const bin = join(folder, script === undefined ? 'no-bin' : 'bin');
    mkdirSync(bin, { recursive: true });
    if (script !== undefined) {
      writeFileSync(join(bin, 'npm'), script);
      chmodSync(join(bin, 'npm'), 0o755);
    }
    const PATH = script === undefined ? bin : bin + delimiter + process.env['PATH'];
    const io = { ...fakeIo(), env: { PATH } };
    expect(await cli(['init', project], io)).toBe(1);
    expect(io.err()).toContain(said);
    expect(io.err()).toContain(`When that is fixed:\n  cd '${project}'\n  npm install\n  npm start\n`);
    expect(existsSync(join(project, 'reloop.config.ts'))).toBe(true);
  });

  test("leaves the packages to a project's own package manager", async () => {
    write('pnpm-lock.yaml', '');
    const io = fakeIo();
    expect(await cli(['init', project], io)).toBe(0);
    expect(io.err()).toContain(`Next:\n  cd '${project}'\n  pnpm install\n`);
  });
});

describe('the template', () => {
  const template = (name: string) => readFileSync(join(root, 'examples/template', name), 'utf8');

  test('has the versions that Reloop is tested with', () => {
    const { devDependencies } = z
      .object({ devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(template('_package.json')));
    // Types of the Node that its image has; Reloop itself is compiled for the lowest version.
    const { '@types/node': types, ...others } = devDependencies;
    expect(ownPackage.devDependencies).toMatchObject(others);
    const node = /^FROM node:(\d+)\./mu.exec(template('Dockerfile'))?.[1] ?? '';
    expect(types).toMatch(new RegExp(`^\\^${node}\\.`, 'u'));
  });

  test("has this repository's Temporal, database and Web UI, and a worker that reads .env where there is one", () => {
    const ours = composeSchema.parse(
      parse(
        readFileSync(join(root, 'docker-compose.yml'), 'utf8').replace('./examples/deploy/', './deploy/'),
      ),
    );
    const { services, networks, volumes } = composeSchema.parse(parse(template('docker-compose.yml')));
    const { worker, ...others } = services;
    const { worker: ourWorker, ...ourOthers } = ours.services;
    const { networks: ourNetworks, volumes: ourVolumes } = ours;
    expect([others, networks, volumes]).toEqual([ourOthers, ourNetworks, ourVolumes]);
    const test = ['CMD', 'node_modules/.bin/reloop', 'doctor', '--worker'];
    expect(worker).toEqual({
      ...ourWorker,
      build: '.',
      env_file: [{ path: '.env', required: false }],
      environment: { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'default' },
      healthcheck: { ...ourWorker.healthcheck, test },
    });
    const dynamic = 'deploy/dynamic-config.yaml';
    expect(template(dynamic)).toBe(readFileSync(join(root, 'examples', dynamic), 'utf8'));
  });

  test('has an image on the same Debian, with no secret in it, whose worker is not root', () => {
    const from = /^FROM (\S+)/mu;
    const dockerfile = template('Dockerfile');
    expect(from.exec(dockerfile)?.[1]).toBe(
      from.exec(readFileSync(join(root, 'examples/deploy/Dockerfile'), 'utf8'))?.[1],
    );
    expect(dockerfile).toMatch(/USER node\nCMD \["node_modules\/\.bin\/reloop", "worker"\]\n$/u);
    const ignored = ['.env*', '.git', '.reloop', 'node_modules'];
    expect(template('_dockerignore').split('\n')).toEqual(expect.arrayContaining(ignored));
  });
});

/** What `npm init -y` writes. */
const NO_TEST = 'echo "Error: no test specified" && exit 1';

function write(file: string, text: string): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, file), text);
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(project, file), 'utf8'));
}
