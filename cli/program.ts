import { Command, Option } from 'commander';
import { addChat } from './chat/chat-command.ts';
import { COMPLETE, addCompletion } from './completion/completion-commands.ts';
import type { BacktestOptions } from './commands/backtest.ts';
import type { ForkCommandOptions } from './commands/fork.ts';
import type { ExportCommandOptions } from './commands/export.ts';
import type { ListOptions } from './commands/list.ts';
import type { RewindCommandOptions } from './commands/rewind.ts';
import type { RunOptions } from './commands/run.ts';
import type { ShowOptions } from './commands/show.ts';
import type { WatchOptions } from './commands/watch.ts';
import { reloop } from '../client/typed-command.ts';
import { type Add, type EndCommand, sentence } from './add-command.ts';
import { addServing, addSessions } from './serving-commands.ts';
import { decidingCommands } from './deciding.ts';
import { loadEnvFile } from './env-file.ts';
import { initCommand } from './init-command.ts';
import { withFilters } from './filter-options.ts';
import { steeringCommands } from './steering-commands.ts';
import { oneLine } from './print/display.ts';
import type { Io, Output } from './io.ts';
import {
  type CommonOptions,
  dollarLimit,
  edit,
  milliseconds,
  repeated,
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
    .addHelpText('after', examples)
    .configureHelp({
      subcommandTerm,
    })
    .hook('preAction', (_, command) => readEnvironment(io, command))
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
  const init = initCommand(async (folder, options) =>
    done(await (await import('./commands/init.ts')).init(io, folder, options)),
  );
  program.addCommand(init.copyInheritedSettings(program));
  addRunning(add, io, done);
  addChat(program, io, done);
  addLooking(add, io, done);
  addBacktest(add, io, done);
  addDeciding(program, io, done);
  addRestarting(add, io, done);
  addSessions(add, io, done);
  addServing(add, io, done);
  addCompletion(program, io, done);
  for (const command of program.commands) {
    if (command === init) continue;
    if (command.commands.length === 0 && command.name() !== COMPLETE) withCommonOptions(command);
    for (const own of command.commands) withCommonOptions(own);
  }
  return program;
}

/** Before a command is loaded: much of it looks into the environment. One that begins a project has none of its own yet. */
/** Commands that must not speak of a broken `.env`: nobody has asked for anything but words to complete. */
const QUIET = ['completion', COMPLETE];

function readEnvironment(io: Io, command: Command): void {
  const { config } = command.opts<CommonOptions>();
  if (command.name() === 'init') return;
  try {
    loadEnvFile(io.env, config);
  } catch (error) {
    if (!QUIET.includes(command.name())) throw error;
  }
}

const examples = (): string => `
Examples:
  ${reloop()} run assistant "What is the 10th Fibonacci number?"
  ${reloop()} run assistant - --json < question.txt
  ${reloop()} retry RUN                  run a call again that failed and waits
  ${reloop()} show RUN --prompt 2        exactly what the model was asked in step 2
  ${reloop()} dev                        Temporal, its Web UI and a worker, until Ctrl-C`;

/** Lines that are too long are as hard to read as those that wrap. */
function helpWidth({ columns = 80 }: Output): number {
  return Math.min(columns, 100);
}

/** A command as the list of all has it: with its arguments, without the word that it has options. */
function subcommandTerm(command: Command): string {
  const usage = command.registeredArguments.length === 0 ? '' : command.usage();
  return `${command.name()} ${usage.replace('[options] ', '')}`.trimEnd();
}

function addRunning(add: Add, io: Io, done: EndCommand): void {
  add(
    'run <agent> <question>',
    'ask an agent and print its answer',
    '; the trace goes to stderr (question -: read from stdin)',
  )
    .option(
      '--image <file or URL>',
      'an image to ask about, PNG, JPEG, GIF or WebP; may be repeated',
      repeated,
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
    .addOption(new Option('--events', 'print each event as a line of JSON').conflicts('json'))
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
