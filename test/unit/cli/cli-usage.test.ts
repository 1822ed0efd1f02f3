import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cli } from '../../../cli/cli.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { fakeIo } from '../../support/fake-io.ts';

const config = (name: string) => [
  '--config',
  fileURLToPath(new URL(`../../fixtures/configs/${name}.config.ts`, import.meta.url)),
];
/** Nobody listens there: what gets that far would end with 5. */
const nowhere = ['--address', '127.0.0.1:1'];

async function reloop(words: string[], typed = '') {
  const io = fakeIo({ typed, columns: 100 });
  const code = await cli(words, io);
  return { code, out: io.out(), err: io.err() };
}

afterEach(() => vi.unstubAllEnvs());

const RESOLVE = 'Usage: reloop resolve <id> [call] <output>, for example: reloop resolve RUN "42"';

const RUN = 'Usage: reloop run <agent> <question>, for example: reloop run assistant "What is 2 + 2?"';
const TOO_MANY = "too many arguments for 'run'. Expected 2 arguments but got 4.";
const manyAnd = (one: string) =>
  `--all is for every run that fits, and "${one}" names one. Leave one of them out.`;
const invalid = (option: string, given: string) => `option '--${option}' argument '${given}' is invalid.`;
const REASONS = 'Known: failed, approval, doubt, answer, deferred, client_tool, repeated, limit.';

describe('the command line', () => {
  test.each([
    [['rnu'], "unknown command 'rnu' (Did you mean run?)"],
    [['run', 'a', 'b', '--verbos'], "unknown option '--verbos' (Did you mean --verbose?)"],
    [['run', 'a'], `missing required argument 'question'. ${RUN}`],
    [['run', 'a', 'what', 'is', 'it?'], `${TOO_MANY} ${RUN}`],
    [['resolve', 'id'], `missing required argument 'output'. ${RESOLVE}`],
    [['resolve', '--all'], `missing required argument 'output'. ${RESOLVE}`],
    [['retry', 'id', '--all', '--yes'], manyAnd('id')],
    [['cancel', 'id', '1.1', '--all'], manyAnd('id 1.1')],
    [['cancel', 'id', '--agent', 'a'], '--agent goes with --all.'],
    [['retry', 'id', '--yes'], '--yes goes with --all.'],
    [['retry', '--dry-run'], '--dry-run goes with --all.'],
    [['skip', '--all', '--waiting', 'tired'], `${invalid('waiting <reason>', 'tired')} ${REASONS}`],
    [['list', '--all', '--page', 'x'], "option '--all' cannot be used with option '--page <token>'"],
    [
      ['run', 'a', 'b', '--max-iterations', '-1'],
      `${invalid('max-iterations <n>', '-1')} Write a whole number, or none.`,
    ],
    [['dev', '--port', '99999'], `${invalid('port <port>', '99999')} Write a port from 1 to 65535.`],
  ])('%j is one line and exit code 2', async (words, line) => {
    expect(await reloop(words)).toEqual({ code: 2, out: '', err: `error: ${line}\n` });
  });

  test.each<[words: string[], part: string, typed?: string]>([
    [['run', 'asker', ' '], 'There is no question'],
    [['run', 'asker', '-'], 'There is no question', '\n'],
    [['run', 'asker', 'why?', '--session', 's', ...config('cli')], 'zero-shot'],
    [['run', 'nobody', 'why?', ...config('cli')], 'asker'],
    [['run', 'asker', 'why?', ...config('missing')], 'missing.config.ts'],
    [['agents', ...config('broken')], 'this config is broken'],
    [['agents', ...config('kind')], 'zero-shot'],
    [['worker', ...config('two-tools')], 'Two different tools are called "calculator"'],
    [['run', 'asker', 'sum?', '--budget-cost', '1', ...config('cli')], "prices: { 'm': { input, output } }"],
    [['retry', '--all'], 'retry --all asks before it does anything, and this is not a terminal'],
    [['cancel', '--all', '--yes', '--reason', 'late'], 'cancel --all is about whole runs'],
    [['dev', ...config('cli')], 'reloop worker --address'],
  ])('%j is one line and exit code 2, before any server is asked', async (words, part, typed) => {
    const { code, out, err } = await reloop([...words, ...nowhere], typed);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(part);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('no key and no base URL is exit code 2, also where the server does not answer', async () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    vi.stubEnv('OPENAI_BASE_URL', '');
    const { code, err } = await reloop(['run', 'asker', 'why?', ...config('cli'), ...nowhere]);
    expect(code).toBe(2);
    expect(err).toContain('OPENAI_API_KEY');
  });

  test('a server that does not answer is exit code 5', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    const { code, out, err } = await reloop(['run', 'asker', 'sum?', ...config('cli'), ...nowhere]);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toContain('127.0.0.1:1');
  });

  test('no command at all is help on stderr and exit code 2', async () => {
    const { code, out, err } = await reloop([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: reloop');
  });

  test('--version is that of the package', async () => {
    expect(await reloop(['--version'])).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' });
  });

  test('--help names every command, and fits a screen', async () => {
    const { code, out } = await reloop(['--help']);
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Usage: reloop [options] [command]

      Runs agents that survive: every step is recorded, nothing is lost, a person can step in.

      Options:
        -V, --version                 print the version
        -h, --help                    show this

      Commands:
        init [dir]                    start a project, or add to an existing one
        run <agent> <question>        ask an agent and print its answer
        batch <agent> <file>          ask an agent each question of a file
        chat [agent]                  talk to an agent
        list                          list runs, open ones first, then the latest
        report                        sum up runs: statuses, tokens, cost, failures
        show <id>                     print a run from its history
        watch <id>                    follow a run from its beginning to its end
        export <id>                   print a whole run as one JSON file, or as a page for a browser
        backtest <agent>              replay recorded runs against the agent as it is now, and show what
                                      differs
        retry <id> [call]             run the waiting call again
        reconcile <id> [call]         ask the tool now: the lost attempt is dead
        approve <id> [call]           let the call that waits for approval run
        reject <id> [call]            do not let the call run; the model is told, and why
        resolve <id> [call] <output>  give the result of the waiting call yourself
        skip <id> [call]              continue without the waiting call; the model is told
        stop <id> [call]              end a run that waits at its limit
        abort <id> [call]             fail the run at the waiting call
        cancel <id> [call]            cancel a run, or one running tool call
        say <id> <message>            send the model a message, which it sees at its next turn
        pause <id>                    start nothing new until resume; running calls finish
        resume <id>                   let a paused run continue
        extend <id>                   raise limits of a run
        rewind <id>                   do a step of a run again, and all later steps
        fork <id>                     start a new run with the first steps of another run
        budgets                       show budgets of agents and tenants, and extend them
        schedule                      run agents at set times
        eval                          ask the cases of an eval, and score the runs
        session                       list, show or clear conversations
        worker                        run agents for a Temporal server, until Ctrl-C
        dev                           Temporal, its Web UI and a worker, until Ctrl-C
        codec-server                  decrypt payloads for the Web UI, until Ctrl-C
        serve                         serve an HTTP API for runs, until Ctrl-C
        mcp [agent]                   serve the agents as tools of an MCP server
        agents                        list the agents of the config
        tools                         list the tools of the config
        doctor                        say what works here, and what to do about the rest
        check                         say which runs this config would not continue
        deploy                        versions of the workers: which one gets new runs
        completion <shell>            print what a shell reads to complete commands on TAB
        help [command]                show the help of a command

      Examples:
        reloop run assistant "What is the 10th Fibonacci number?"
        reloop run assistant - --json < question.txt
        reloop retry RUN                  run a call again that failed and waits
        reloop show RUN --prompt 2        exactly what the model was asked in step 2
        reloop dev                        Temporal, its Web UI and a worker, until Ctrl-C
      "
    `);
  });
});

describe('the contents of the config', () => {
  test('agents lists the agents', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    expect((await reloop(['agents', ...config('cli')])).out).toMatchInlineSnapshot(`
      "AGENT       KIND       MODEL   TOOLS                        DESCRIPTION
      asker       zero-shot  m       calculator, broken, sleeper  asks the model
      named       zero-shot  m
      patient     zero-shot  m
      streamless  zero-shot  m       calculator, broken, sleeper
      frugal      zero-shot  priced  calculator, broken, sleeper
      "
    `);
  });

  test('tools lists the tools and how each is treated', async () => {
    expect((await reloop(['tools', ...config('cli')])).out).toMatchInlineSnapshot(`
      "TOOL        EFFECTS     APPROVAL  TIMEOUT  ATTEMPTS  ON FAILURE  AGENTS                     DESCRIP…
      calculator  none        never     5 min    3         ask         asker, streamless, frugal  Compute…
      broken      idempotent  never     5 min    1         ask         asker, streamless, frugal  fails u…
      sleeper     idempotent  never     5 min    3         ask         asker, streamless, frugal  sleeps
      "
    `);
  });

  test('--json gives the same as one object a line', async () => {
    const { out } = await reloop(['tools', '--json', ...config('cli')]);
    expect(out.trim().split('\n')).toHaveLength(1);
    const calculator = { name: 'calculator', effects: 'none', maxAttempts: 3, onFailure: 'ask' };
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining(calculator));
  });
});
