import type { CommandGroup } from '../../../cli/declare/command.ts';
import { wholeNumber } from '../../../cli/options/options.ts';

/** Commands for evals. */
export const evalCommands: CommandGroup = {
  usage: 'eval',
  summary: 'ask the cases of an eval, and score the runs',
  description:
    "Ask an agent the cases of an eval, and score the runs by its checks: `reloop eval NAME`, or without a name all of the config's `evals`.",
  commands: [
    {
      usage: 'run [name]',
      summary: 'ask the cases and print the scores; `run` may be left out',
      description:
        'Ask the cases and print the scores, beside those of the time before. The exit code is 0 where all cases pass. The same command with the same --id continues: no case is paid twice.',
      isDefault: true,
      options: (command) =>
        command
          .option('--id <id>', 'name of the results, and a tag of their runs; takes the name of an eval')
          .option('--model <name>', "in place of the agent's")
          .option(
            '--concurrency <n>',
            "runs under way at the same time (default: the eval's, or 4)",
            wholeNumber,
          )
          .option('--junit <file>', 'also write the results as a JUnit file')
          .option('--html <file>', 'also write the results as a page'),
      load: async () => (await import('./run-evals.ts')).runEvals,
    },
    {
      usage: 'show [name]',
      summary: 'print the latest results again, and what changed; asks nothing',
      description:
        "Print the results of an eval, and what changed since the results before them. They are scored again by the config's cases and checks as they are now; nothing is asked.",
      options: (command) =>
        command
          .option('--id <id>', 'these results (default: the latest)')
          .option('--against <id>', 'compare with these (default: the ones before)')
          .option('--junit <file>', 'also write the results as a JUnit file')
          .option('--html <file>', 'also write the results as a page'),
      load: async () => (await import('./show-evals.ts')).showEvals,
    },
    {
      usage: 'add <id> [name]',
      summary: "add a run's question and answer to the cases of an eval",
      description:
        "Add a run's question, and its answer as the expected one, to the JSON Lines file of an eval's cases. Look at the line, and correct what was wrong.",
      load: async () => (await import('./add-case.ts')).addCase,
    },
  ],
};
