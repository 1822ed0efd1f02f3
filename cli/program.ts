import { Command, Option } from 'commander';
import type { BacktestOptions } from './commands/backtest.ts';
import type { DevOptions } from './commands/dev.ts';
import type { ForkCommandOptions } from './commands/fork.ts';
import type { ExportCommandOptions } from './commands/export.ts';
import type { ListOptions } from './commands/list.ts';
import type { RewindCommandOptions } from './commands/rewind.ts';
import type { RunOptions } from './commands/run.ts';
import type { SessionListOptions } from './commands/session.ts';
import type { ShowOptions } from './commands/show.ts';
import type { WatchOptions } from './commands/watch.ts';
import { decidingCommands } from './deciding.ts';
import { withFilters } from './filter-options.ts';
import { steeringCommands } from './steering-commands.ts';
import { oneLine } from './print/display.ts';
import type { Io, Output } from './io.ts';
import {
  type CommonOptions,
  dollarLimit,
  edit,
  milliseconds,
  port,
  variable,
  wholeNumber,
  wholeLimit,
  withCommonOptions,
} from './options.ts';

/**
 * The command line. Each command's code is loaded when it is asked for: help must not wait for Temporal. `done` is told
 * the exit code.
 */
export function createProgram(io: Io, version: string, done: (code: number) => void): Command {
  const program = new Command('reloop')
    .description('Runs agents that survive: every step is recorded, nothing is lost, a person can step in.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', EXAMPLES)
    .configureHelp({
      subcommandTerm,
    })
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // The message and the suggestion are one line.
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    });
  const add: Add = (usage, summary, more = '') =>
    program
      .command(usage)
      .summary(summary)
      .description(sentence(summary + more));
  addRunning(add, io, done);
  addLooking(add, io, done);
  addBacktest(add, io, done);
  addDeciding(program, io, done);
  addRestarting(add, io, done);
  addSessions(add, io, done);
  addServing(add, io, done);
  for (const command of program.commands) {
    if (command.commands.length === 0) withCommonOptions(command);
    for (const own of command.commands) withCommonOptions(own);
  }
  return program;
}

const EXAMPLES = `
Examples:
  reloop run assistant "What is the 10th Fibonacci number?"
  reloop run assistant - --json < question.txt
  reloop retry RUN                  run a call again that failed and waits
  reloop show RUN --prompt 2        exactly what the model was asked in step 2
  reloop dev                        Temporal, its Web UI and a worker, until Ctrl-C`;

/** Lines that are too long are as hard to read as those that wrap. */
function helpWidth({ columns = 80 }: Output): number {
  return Math.min(columns, 100);
}

/** A command as the list of all has it: with its arguments, without the word that it has options. */
function subcommandTerm(command: Command): string {
  const usage = command.registeredArguments.length === 0 ? '' : command.usage();
  return `${command.name()} ${usage.replace('[options] ', '')}`.trimEnd();
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

type Add = (usage: string, summary: string, more?: string) => Command;
type EndCommand = (code: number) => void;

function addRunning(add: Add, io: Io, done: EndCommand): void {
  add(
    'run <agent> <question>',
    'ask an agent and print its answer',
    '; the trace goes to stderr (question -: read from stdin)',
  )
    .option('--id <id>', 'id of the run; one that exists is shown and gone on with')
    .option('--session <name>', 'conversation to go on with; its first question begins it')
    .option('--model <name>', "in place of the agent's")
    .option('--max-iterations <n>', 'turns the agent may take; none for no limit', wholeLimit)
    .option('--max-time <duration>', 'such as 30s or 10m', milliseconds)
    .option('--budget-tokens <n>', 'tokens it may use up; none for no limit', wholeLimit)
    .option('--budget-cost <usd>', 'US dollars it may cost, such as 0.50; none for no limit', dollarLimit)
    .option(
      '--var <name=value>',
      "a value for the agent's own {name} in its prompt; may be repeated",
      variable,
    )
    .option('--detach', 'print the id of the run and leave it')
    .option('--no-wait', 'when a call waits for a person: exit with 4')
    .option('--verbose', 'print exact requests and replies')
    .action(async (agent: string, question: string, options: RunOptions) =>
      done(await (await import('./commands/run.ts')).run(io, agent, question, options)),
    );
}

function addBacktest(add: Add, io: Io, done: EndCommand): void {
  add(
    'backtest <agent>',
    'ask recorded runs again of an agent, and print what is not the same',
    ': tool calls are answered from the recording, and nothing with an effect is run',
  )
    .option(
      '--runs <ids or query>',
      'ids with commas between, or a visibility query; only runs that are over',
    )
    .option('--limit <n>', 'recorded runs at most, of a query the latest', wholeNumber, 100)
    .option('--model <name>', "in place of the agent's")
    .addOption(
      new Option('--live <tools>', 'really run calls that were not recorded, of such tools').choices([
        'none-effects',
      ]),
    )
    .option('--concurrency <n>', 'runs under way at the same time', wholeNumber, 4)
    .option('--fail-on-change', 'exit with 1 where a run is not the same')
    .option('--id <id>', 'name of the backtest; one that exists is gone on with')
    .action(async (agent: string, options: BacktestOptions) =>
      done(await (await import('./commands/backtest.ts')).backtest(io, agent, options)),
    );
}

function addLooking(add: Add, io: Io, done: EndCommand): void {
  withFilters(add('list', 'list runs, latest first'))
    .option('--limit <n>', 'how many (default: 50)', wholeNumber)
    .option('--page <token>', 'where to go on: said at the end of the page before')
    .addOption(new Option('--all', 'every page').conflicts(['limit', 'page']))
    .action(async (options: ListOptions) =>
      done(await (await import('./commands/list.ts')).list(io, options)),
    );

  add('show <id>', 'print a run from its history')
    .option('--prompt <step>', 'the exact request of a step and its reply')
    .option('--run <run-id>', "one that Temporal's Reset replaced (default: the latest of the id)")
    .action(async (id: string, options: ShowOptions) =>
      done(await (await import('./commands/show.ts')).show(io, id, options)),
    );

  add('watch <id>', 'follow a run from its beginning to its end')
    .option('--no-wait', 'when a call waits for a person: exit with 4')
    .action(async (id: string, options: WatchOptions) =>
      done(await (await import('./commands/watch.ts')).watch(io, id, options)),
    );

  add('export <id>', 'print a whole run as one JSON file, or as a page for a browser')
    .option('--prompts', 'also every exact request')
    .option('--html', 'one page that needs no network')
    .option('--out <file>', 'where to write it (default: stdout)')
    .option('--run <run-id>', "one that Temporal's Reset replaced (default: the latest of the id)")
    .action(async (id: string, options: ExportCommandOptions) =>
      done(await (await import('./commands/export.ts')).exportRun(io, id, options)),
    );
}

function addDeciding(program: Command, io: Io, done: EndCommand): void {
  const one = () => import('./commands/decide.ts');
  const many = () => import('./commands/bulk.ts');
  const commands = decidingCommands({
    decide: async (id, type, typed, options) =>
      done(await (await one()).decide(io, id, type, typed, options)),
    decideAll: async (type, typed, options) => done(await (await many()).decideAll(io, type, typed, options)),
    cancel: async (id, call, options) => done(await (await one()).cancel(io, id, call, options)),
    cancelAll: async (options) => done(await (await many()).cancelAll(io, options)),
  });
  const steering = steeringCommands(async (id, name, data, options) =>
    done(await (await import('./commands/steer.ts')).steer(io, id, name, data, options)),
  );
  for (const command of [...commands, ...steering]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
}

function addRestarting(add: Add, io: Io, done: EndCommand): void {
  add('rewind <id>', 'do steps of a run anew', ': those before are kept, and not paid again')
    .requiredOption('--to <step>', 'the first step that is done anew')
    .action(async (id: string, options: RewindCommandOptions) =>
      done(await (await import('./commands/rewind.ts')).rewind(io, id, options)),
    );

  add('fork <id>', 'begin a run of its own with the steps of another one', '; prints its id')
    .requiredOption('--at <step>', 'the first step that is done anew')
    .option('--say <text>', 'a message that the model sees there')
    .option('--model <name>', "in place of the agent's")
    .option(
      '--edit <call=output>',
      'another observation of an earlier call, as JSON or as text; may be repeated',
      edit,
    )
    .option('--id <id>', 'id of the new run')
    .option('--max-iterations <n>', 'turns it may take in all; none for no limit', wholeLimit)
    .option('--max-time <duration>', 'such as 30s or 10m', milliseconds)
    .action(async (id: string, options: ForkCommandOptions) =>
      done(await (await import('./commands/fork.ts')).fork(io, id, options)),
    );
}

function addSessions(add: Add, io: Io, done: EndCommand): void {
  const session = add(
    'session',
    'list, show or clear conversations',
    ': `reloop run --session NAME` begins one',
  );
  const addOwn: Add = (usage, summary) =>
    session.command(usage).summary(summary).description(sentence(summary));
  const commands = () => import('./commands/session.ts');

  addOwn('list', 'list conversations, latest first')
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .action(async (options: SessionListOptions) => done(await (await commands()).listSessions(io, options)));

  addOwn('show <name>', 'print what was said, and which runs said it').action(
    async (name: string, options: CommonOptions) =>
      done(await (await commands()).showSession(io, name, options)),
  );

  addOwn('clear <name>', 'forget a conversation').action(async (name: string, options: CommonOptions) =>
    done(await (await commands()).clearSession(io, name, options)),
  );
}

function addServing(add: Add, io: Io, done: EndCommand): void {
  add('worker', 'run agents for a Temporal server, until Ctrl-C').action(async (options: CommonOptions) =>
    done(await (await import('./commands/worker.ts')).worker(io, options)),
  );

  add('dev', 'Temporal, its Web UI and a worker, until Ctrl-C')
    .option('--port <port>', 'of Temporal (default: 7233)', port)
    .option('--ui-port <port>', 'of the Web UI (default: 8233)', port)
    .action(async (options: DevOptions) => done(await (await import('./commands/dev.ts')).dev(io, options)));

  add('agents', 'list the agents of the config').action(async (options: CommonOptions) =>
    done(await (await import('./commands/agents.ts')).agents(io, options)),
  );

  add('tools', 'list the tools of the config').action(async (options: CommonOptions) =>
    done(await (await import('./commands/tools.ts')).tools(io, options)),
  );

  add('doctor', 'say what works here, and what to do about the rest').action(async (options: CommonOptions) =>
    done(await (await import('./commands/doctor.ts')).doctor(io, options)),
  );
}
