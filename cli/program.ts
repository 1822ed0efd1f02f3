import { Command } from 'commander';
import { cliName } from '../client/connect/cli-name.ts';
import { addCommand } from './declare/command.ts';
import { budgetCommands } from './declare/budget-commands.ts';
import { decidingCommands } from './declare/deciding-commands.ts';
import { runningCommands } from './declare/running-commands.ts';
import { evalCommands } from '../features/evals/command/eval-commands.ts';
import { scheduleCommands } from '../features/schedules/command/schedule-commands.ts';
import { servingCommands } from './declare/serving-commands.ts';
import { steeringCommands } from './declare/steering-commands.ts';
import { oneLine } from '../features/render/words/amounts.ts';
import { type Io, type Output, columnsOf } from './shell/io.ts';

/** The command line. `done` receives the exit code of the command. */
export function createProgram(io: Io, version: string, done: (code: number) => void): Command {
  const program = new Command('reloop')
    .description('Runs agents that survive: every step is recorded, nothing is lost, a person can step in.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', examples)
    .configureHelp({ subcommandTerm })
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    });
  const commands = [
    ...runningCommands,
    ...decidingCommands,
    ...steeringCommands,
    budgetCommands,
    scheduleCommands,
    evalCommands,
    ...servingCommands,
  ];
  for (const spec of commands) addCommand(program, spec, io, done);
  return program;
}

const examples = (): string => `
Examples:
  ${cliName()} run assistant "What is the 10th Fibonacci number?"
  ${cliName()} run assistant - --json < question.txt
  ${cliName()} retry RUN                  run a call again that failed and waits
  ${cliName()} show RUN --prompt 2        exactly what the model was asked in step 2
  ${cliName()} dev                        Temporal, its Web UI and a worker, until Ctrl-C`;

/** Lines that are too long are as hard to read as those that wrap. */
function helpWidth(output: Output): number {
  return Math.min(columnsOf(output), 100);
}

/** A command in the list of all commands: with its arguments, without `[options]`. */
function subcommandTerm(command: Command): string {
  const usage = command.registeredArguments.length === 0 ? '' : command.usage();
  return `${command.name()} ${usage.replace('[options] ', '')}`.trimEnd();
}
