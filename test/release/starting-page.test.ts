import { execFile } from 'node:child_process';
import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServerType, serve } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { createGateway } from '../../gateway/index.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { root } from '../support/cli.ts';
import { type DevServer, freePort, startDevServer } from '../support/dev-server.ts';
import { textOf } from '../support/doc-pages.ts';
import { type Block, blocksOf, fileOf } from '../support/page-blocks.ts';
import { fetchPythonWorker } from '../support/python-venv.ts';
import { type Rig, startRig, waitOf } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Runs the programs and commands of docs/starting.md, with the address and the task queue of this test. */
const exec = promisify(execFile);
const blocks = blocksOf(textOf('docs/starting.md'));
const FINAL = '```json\n{"action": "Final Answer", "action_input": "Hello Alice!"}\n```';
const QUESTION = 'What is five times five?';

const python = await fetchPythonWorker();
const pythonTitle = 'missing' in python ? ` (skipped: no temporalio for Python here: ${python.missing})` : '';
const hasPython = await exec('python3', ['--version']).then(
  () => true,
  () => false,
);
const go = await exec('go', ['version']).then(
  () => '',
  () => ' (skipped: no Go here)',
);

let server: DevServer;
let rig: Rig;
let uiUrl: string;
let temporal: string;
let gateway: string;
let gatewayServer: ServerType;
const TOKEN = 'token-of-this-test-0123';
const folder = tempFolder();
beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  temporal = path ?? 'temporal';
  const uiPort = await freePort();
  uiUrl = `http://127.0.0.1:${uiPort}`;
  server = await startDevServer(temporal, ['--headless=false', '--ui-port', String(uiPort)]);
  rig = await startRig(
    {
      agents: [
        { name: 'helper', model: script(answer('25')) },
        { name: 'talker', kind: 'conversational', model: script(FINAL) },
        { name: 'asks', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] },
      ],
    },
    {},
    server.address,
  );
  const { fetch } = createGateway(rig.client, {
    tokens: [{ token: TOKEN, name: 'test', scopes: ['admin'] }],
  });
  gateway = await new Promise((resolve) => {
    const options = { fetch, port: 0, hostname: '127.0.0.1' };
    gatewayServer = serve(options, ({ port }) => resolve(`127.0.0.1:${port}`));
  });
}, 60_000);
afterAll(async () => {
  gatewayServer.close();
  await rig.stop();
  await server.stop();
});

/** The page's words for a place, as they are here. */
function here(text: string): string {
  return text
    .replaceAll('localhost:7233', server.address)
    .replaceAll('localhost:8700', gateway)
    .replaceAll(/(--task-queue |task_queue="|TaskQueue: ")reloop/gu, `$1${rig.taskQueue}`);
}

function fileNamed(name: string): string {
  const block = blocks.find((one) => fileOf(one) === name);
  if (block === undefined) throw new Error(`docs/starting.md has no ${name}.`);
  return here(block.lines.join('\n'));
}

/** Types the commands of a block; what each printed. */
async function typed(block: Block | undefined): Promise<string[]> {
  const printed: string[] = [];
  for (const line of block?.lines ?? []) {
    const command = here(line).replace(/^temporal /u, `${temporal} `);
    const own = command.startsWith('curl') ? command : `${command} --address ${server.address}`;
    const { stdout } = await exec('sh', ['-c', own], { env: { ...process.env, TOKEN } });
    printed.push(stdout);
  }
  return printed;
}

const commandsWith = (word: string) =>
  blocks.find(({ language, lines }) => language === 'sh' && lines.some((line) => line.includes(word)));

/** A run that waits for approval, as the page's programs name it; it is over when this returns. */
async function whileWaiting(decide: () => Promise<void>): Promise<void> {
  await rig.temporal.workflow.start('agentRun', {
    workflowId: 'needs-approval',
    taskQueue: rig.taskQueue,
    args: [{ agent: 'asks', input: 'Do it.' }],
  });
  const run = rig.client.get('needs-approval');
  await waitOf(run);
  await decide();
  expect(await run.result()).toMatchObject({
    output: 'done',
    intermediateSteps: [{ observation: 'did x' }],
  });
}

async function isListed(id: string): Promise<void> {
  expect(await rig.client.get(id).describe()).toMatchObject({
    agent: 'helper',
    input: QUESTION,
    output: '25',
  });
  await expect
    .poll(async () => (await rig.client.listPage({ agent: 'helper' })).runs.map((run) => run.id))
    .toContain(id);
}

test('the TypeScript program prints the answer', async () => {
  const onQueue = `AgentClient.connect({ taskQueue: '${rig.taskQueue}' })`;
  const program = fileNamed('start.ts').replace('AgentClient.connect()', onQueue);
  const file = join(root, 'test', `starting-page-${process.pid}.ts`);
  writeFileSync(file, program.replace("'reloop/client'", "'../client/index.ts'"));
  try {
    const env = { ...process.env, TEMPORAL_ADDRESS: server.address };
    const { stdout } = await exec(process.execPath, ['--import', 'tsx', file], { cwd: root, env });
    expect(stdout).toBe('25\n');
  } finally {
    rmSync(file);
  }
  await isListed('from-typescript');
});

test('curl starts a run, follows it, and decides', () =>
  whileWaiting(async () => {
    const [started, events, waits, decided] = await typed(commandsWith('from-curl'));
    expect(JSON.parse(String(started))).toEqual({ id: 'from-curl' });
    expect(events).toContain('event: run_ended');
    expect(waits).toBe('event: waiting\n');
    expect(JSON.parse(String(decided))).toMatchObject({ decision: 'approve' });
    await isListed('from-curl');
  }));

describe("Temporal's CLI", () => {
  test('starts a run and prints its result', async () => {
    const [printed] = await typed(commandsWith('from-cli'));
    expect(printed).toContain('final_answer');
    await isListed('from-cli');
  });

  test('decides, and says something', async () => {
    await whileWaiting(async () => {
      const [said, approved, result] = await typed(
        commandsWith('update execute --workflow-id needs-approval'),
      );
      expect(said).toMatch(/Result .*say/u);
      expect(approved).toMatch(/Result .*approve/u);
      expect(result).toContain('final_answer');
    });
  });

  test('is refused with a sentence', async () => {
    await rig.client.run('helper', QUESTION);
    const wrong = `${temporal} workflow execute --type agentRun --task-queue ${rig.taskQueue} --input '{"agent":"helper","question":"x"}' --address ${server.address}`;
    await expect(exec('sh', ['-c', wrong])).rejects.toMatchObject({
      stdout: expect.stringContaining('agentRun: question is an object') as string,
    });
  });

  test('starts runs by a Schedule', async () => {
    await typed(commandsWith('schedule create'));
    const started = async () =>
      (await rig.client.listPage({ agent: 'helper', status: 'completed' })).runs.find(({ id }) =>
        id.startsWith('morning-'),
      )?.input;
    await expect.poll(started).toBe(QUESTION);
  });

  test('speaks with a session', async () => {
    const [, , result] = await typed(commandsWith('session:alice'));
    expect(result).toContain('Hello Alice!');
    expect((await rig.client.session('alice').describe()).runs).toEqual(['alice-1']);
  });
});

describe.skipIf('missing' in python)(`Python${pythonTitle}`, () => {
  /**
   * Runs a program whole, and leaves out the end of its interpreter. The SDK's threads can abort a
   * Python that ends: "PyGILState_Release: thread state … must be current"
   * (temporalio/sdk-python issue 300). An exception of the program is an error here as ever.
   */
  const AND_LEAVE =
    'import os, runpy, sys; runpy.run_path(sys.argv[1], run_name="__main__"); sys.stdout.flush(); os._exit(0)';
  const run = async (name: string) => {
    writeFileSync(join(folder, name), fileNamed(name));
    const command = 'python' in python ? python.python : '';
    return (await exec(command, ['-c', AND_LEAVE, join(folder, name)])).stdout;
  };

  test('starts a run and prints its answer', async () => {
    expect(await run('start.py')).toBe('25\n');
    await isListed('from-python');
  });

  test('decides', () =>
    whileWaiting(async () => {
      expect(await run('decide.py')).toBe('approve 1.1\ndone\n');
    }));
});

describe.skipIf(!hasPython)('Python over HTTP', () => {
  const run = async (change: (program: string) => string) => {
    writeFileSync(join(folder, 'over_http.py'), change(fileNamed('over_http.py')));
    const env = { ...process.env, TOKEN };
    return (await exec('python3', [join(folder, 'over_http.py')], { env })).stdout;
  };

  test('starts a run and prints its answer', async () => {
    expect(await run(String)).toBe('25\n');
    await isListed('over-http');
  });

  test('approves what waits', async () => {
    const asked = (program: string) =>
      program.replace('"helper"', '"asks"').replace('"over-http"', '"asked"');
    expect(await run(asked)).toBe('done\n');
  });
});

describe.skipIf(go !== '')(`Go${go}`, () => {
  /** Downloads and compiles the SDK where neither is cached, while other files of tests are at work. */
  const PATIENCE = 900_000;
  beforeAll(async () => {
    for (const name of ['start', 'decide']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'main.go'), fileNamed(`${name}.go`));
    }
    await exec('go', ['mod', 'init', 'starting'], { cwd: folder });
    await exec('go', ['get', 'go.temporal.io/sdk/client'], { cwd: folder });
    await exec('go', ['build', '-o', join(folder, 'bin/'), './...'], { cwd: folder });
  }, PATIENCE);

  test('starts a run and prints its answer', async () => {
    expect((await exec(join(folder, 'bin/start'), [])).stdout).toBe('25\n');
    await isListed('from-go');
  });

  test('decides', () =>
    whileWaiting(async () => {
      expect((await exec(join(folder, 'bin/decide'), [])).stdout).toBe('approve 1.1\n');
    }));
});

test.skipIf(!hasChromium)(`the form of the Web UI starts a run${chromiumTitle}`, async () => {
  const chrome = await startChromium();
  try {
    const page = await chrome.newPage();
    await page.goto(`${uiUrl}/namespaces/default/workflows/start-workflow`);
    await page.getByLabel('Workflow ID').fill('from-web-ui');
    await page.getByLabel('Task Queue').fill(rig.taskQueue);
    await page.getByLabel('Workflow Type').fill('agentRun');
    const [input] = blocks.filter(({ language }) => language === 'json');
    await page
      .locator('.cm-content')
      .first()
      .fill(String(input?.lines.join('\n')));
    // The form writes the input over several lines when the cursor leaves it, which moves the button.
    await page.getByLabel('Workflow Type').click();
    await page.getByText('"agent"').waitFor();
    await page.getByRole('button', { name: 'Start Workflow' }).last().click();
    const started = () => rig.client.listPage({ agent: 'helper', text: QUESTION });
    await expect.poll(async () => (await started()).runs.map(({ id }) => id)).toContain('from-web-ui');
    await rig.client.get('from-web-ui').result();
  } finally {
    await chrome.close();
  }
  await isListed('from-web-ui');
});
