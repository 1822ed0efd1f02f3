import { Option } from 'commander';
import { withFilters } from '../options/bulk-options.ts';
import { repeated, variable, wholeNumber, withSenderOption } from '../options/options.ts';
import { withOverrides } from '../options/override-options.ts';
import type { CommandSpec } from './command.ts';

const VARIABLE = "a value for the agent's own {name} in its prompt; may be repeated";
const RUN_ID = "one that Temporal's Reset replaced (default: the latest of the id)";

/** Commands that start a project, ask agents, and print runs. */
export const runningCommands: readonly CommandSpec[] = [
  // `init` connects to no server and loads no config.
  {
    usage: 'init',
    summary: 'start a project, or add to an existing one',
    description:
      'Starts a project, or adds to an existing one: an agent with two tools, a test, a Dockerfile. No file is overwritten.',
    hasCommonOptions: false,
    readsEnvFile: false,
    options: (command) =>
      command
        .argument('[dir]', 'where', '.')
        .option(
          '--package <spec>',
          'the reloop to install: a version, a folder, a tarball (default: this one)',
        )
        .option('--no-install', 'leave `npm install` to you')
        .option('--json', 'print one JSON object on stdout'),
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    usage: 'run <agent> <question>',
    summary: 'ask an agent and print its answer',
    description: 'Ask an agent and print its answer; the trace goes to stderr (question -: read from stdin).',
    options: (command) =>
      withSenderOption(
        withOverrides(
          command
            .option(
              '--image <file or URL>',
              'an image to ask about, PNG, JPEG, GIF or WebP; may be repeated',
              repeated,
            )
            .option(
              '--file <file>',
              'a file to ask about: a text, PDF, WAV, MP3 or an image; may be repeated',
              repeated,
            )
            .option('--id <id>', 'id of the run; if the run exists, show it and continue it')
            .option('--session <name>', 'conversation to continue; its first question starts it'),
        ),
      )
        .option('--var <name=value>', VARIABLE, variable)
        .option('--detach', 'print the id of the run and leave it')
        .option('--no-wait', 'when a call waits for a person: exit with 4')
        .option('--verbose', 'print exact requests and replies'),
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    usage: 'batch <agent> <file>',
    summary: 'ask an agent each question of a file',
    description:
      'Ask an agent each question of a file, a few at a time. The file is CSV with a header, or JSON Lines. The results have its columns, and are written at the end. The same command with the same --id continues.',
    options: (command) =>
      withSenderOption(
        withOverrides(
          command
            .option('--out <file>', 'results as .csv or .jsonl (default: JSON Lines on stdout)')
            .option('--concurrency <n>', 'runs under way at the same time', wholeNumber, 4)
            .option('--id <id>', 'name of the batch, and a tag of its runs; its runs are ID-1, ID-2, …')
            .option(
              '--column <name>',
              'column with the question (default: input, question, or the only one)',
            ),
        ),
      )
        .option('--var <name=value>', VARIABLE, variable)
        .option('--wait', 'do not leave runs that wait for a person'),
    load: async () => (await import('../commands/batch.ts')).batch,
  },
  {
    usage: 'chat [agent]',
    summary: 'talk to an agent',
    description: 'Talk to an agent: a prompt that keeps a conversation, streams, and asks you what waits.',
    options: (command) =>
      withSenderOption(
        withOverrides(command.option('--session <name>', 'conversation to continue (default: a new one)')),
      )
        .option('--var <name=value>', VARIABLE, variable)
        .option('--no-wait', 'of questions from a pipe: when a call waits for a person, exit with 4'),
    load: async () => (await import('../commands/chat.ts')).chat,
  },
  {
    usage: 'list',
    summary: 'list runs, open ones first, then the latest',
    options: (command) =>
      withFilters(command)
        .option('--limit <n>', 'how many (default: 50)', wholeNumber)
        .option('--page <token>', 'the token printed below the previous page')
        .addOption(new Option('--all', 'every page').conflicts(['limit', 'page']))
        .option('--full', 'also the answer or the error, tokens and cost; slower'),
    load: async () => (await import('../commands/list.ts')).list,
  },
  {
    usage: 'report',
    summary: 'sum up runs: statuses, tokens, cost, failures',
    description:
      'Sum up the runs that fit: statuses, tokens, cost, failures by their type, what waits, and the slowest.',
    options: withFilters,
    load: async () => (await import('../commands/report.ts')).report,
  },
  {
    usage: 'show <id>',
    summary: 'print a run from its history',
    options: (command) =>
      command
        .option('--prompt <step>', 'the exact request of a step and its reply')
        .option('--run <run-id>', RUN_ID),
    load: async () => (await import('../commands/show.ts')).show,
  },
  {
    usage: 'watch <id>',
    summary: 'follow a run from its beginning to its end',
    options: (command) =>
      command
        .addOption(new Option('--events', 'print each event as a line of JSON').conflicts('json'))
        .option('--no-wait', 'when a call waits for a person: exit with 4'),
    load: async () => (await import('../commands/watch.ts')).watch,
  },
  {
    usage: 'export <id>',
    summary: 'print a whole run as one JSON file, or as a page for a browser',
    options: (command) =>
      command
        .option('--prompts', 'also every exact request')
        .option('--html', 'one page that needs no network')
        .option('--out <file>', 'where to write it (default: stdout)')
        .option('--run <run-id>', RUN_ID),
    load: async () => (await import('../commands/export.ts')).exportRun,
  },
  {
    usage: 'backtest <agent>',
    summary: 'replay recorded runs against the agent as it is now, and show what differs',
    description:
      'Replay recorded runs against the agent as it is now, and show what differs: tool calls are answered from the recording, and nothing with an effect is run.',
    options: (command) =>
      command
        .option(
          '--runs <ids or query>',
          'ids with commas between, or a visibility query; only runs that are over',
        )
        .option('--limit <n>', 'recorded runs at most, of a query the latest', wholeNumber, 100)
        .option('--model <name>', "in place of the agent's")
        .addOption(
          new Option(
            '--live <tools>',
            "run calls that were not recorded, if their tool has effects: 'none'",
          ).choices(['none-effects']),
        )
        .option('--concurrency <n>', 'runs under way at the same time', wholeNumber, 4)
        .option('--fail-on-change', 'exit with 1 where a run is not the same')
        .option('--id <id>', 'name of the backtest; if it exists, continue it'),
    load: async () => (await import('../commands/backtest.ts')).backtest,
  },
];
