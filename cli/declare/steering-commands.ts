import type { Command } from 'commander';
import { type RunMessageName, runMessageNames, runMessages } from '../../agent/rules/run-messages.ts';
import { type CommonOptions, edit, milliseconds, wholeLimit, withSenderOption } from '../options/options.ts';
import type { Io } from '../shell/io.ts';
import { type CommandSpec, asSummary } from './command.ts';

interface ExtendOptions extends CommonOptions {
  iterations?: number;
  time?: number;
  tokens?: number;
  cost?: number;
}

/** Commands for the messages to a run. The run's own rules check their data. */
const messages: { readonly [N in RunMessageName]: Omit<CommandSpec, 'summary'> } = {
  say: { usage: 'say <id> <message>', load: sends('say', (message: string) => ({ message })) },
  pause: { usage: 'pause <id>', load: sends('pause') },
  resume: { usage: 'resume <id>', load: sends('resume') },
  extend: {
    usage: 'extend <id>',
    options: (command) =>
      command
        .option('--iterations <n>', 'more turns', Number)
        .option('--time <duration>', 'more time, such as 30s or 10m', milliseconds)
        .option('--tokens <n>', 'a larger budget of tokens', Number)
        .option('--cost <usd>', 'a larger budget of US dollars', Number),
    load: sends('extend', ({ iterations, time, tokens, cost }: ExtendOptions) => ({
      iterations,
      time,
      tokens,
      cost,
    })),
  },
  rewind: {
    usage: 'rewind <id>',
    description: 'Do a step of a run again, and all later steps; earlier steps are kept, and cost nothing.',
    options: (command) => command.requiredOption('--step <step>', 'the first step to do again'),
    load: async () => (await import('../commands/restart.ts')).rewind,
  },
};

/** Commands for a run as a whole: a command for each message, and those that restart the run. */
export const steeringCommands: readonly CommandSpec[] = [
  ...runMessageNames.map((name) => {
    const { options = (command) => command } = messages[name];
    return {
      ...messages[name],
      summary: asSummary(runMessages[name].does),
      options: (command: Command) => withSenderOption(options(command)),
    };
  }),
  {
    usage: 'fork <id>',
    summary: 'start a new run with the first steps of another run',
    description: 'Start a new run with the first steps of another run; prints its id.',
    options: (command) =>
      withSenderOption(command)
        .requiredOption('--step <step>', 'the first step to do again')
        .option('--say <text>', 'a message that the model sees there')
        .option('--model <name>', "in place of the agent's")
        .option(
          '--edit <call=output>',
          'another observation of an earlier call, as JSON or as text; may be repeated',
          edit,
        )
        .option('--id <id>', 'id of the new run')
        .option('--max-iterations <n>', 'turns it may take in all; none for no limit', wholeLimit)
        .option('--max-time <duration>', 'such as 30s or 10m', milliseconds),
    load: async () => (await import('../commands/restart.ts')).fork,
  },
];

/** Sends a message to a run. `dataOf` makes the data of the words after the id. */
function sends(
  name: RunMessageName,
  dataOf: (typed: never) => unknown = () => undefined,
): CommandSpec['load'] {
  return async () => {
    const { steer } = await import('../commands/steer.ts');
    return (io: Io, id: string, ...typed: unknown[]) =>
      steer(io, id, name, dataOf(typed[0] as never), typed.at(-1) as CommonOptions); // as `usage` says; the options last
  };
}
