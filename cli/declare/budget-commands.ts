import { withSenderOption } from '../options/options.ts';
import type { CommandGroup } from './command.ts';

/** Commands for budgets above runs. */
export const budgetCommands: CommandGroup = {
  usage: 'budgets',
  summary: 'show budgets of agents and tenants, and extend them',
  commands: [
    {
      usage: 'list',
      summary: 'list what is used of each budget',
      isDefault: true,
      load: async () => (await import('../commands/budgets.ts')).listBudgets,
    },
    {
      usage: 'extend <name>',
      summary: 'add to a budget, for the current day or month',
      options: (command) =>
        withSenderOption(command)
          .option('--key <key>', 'the agent or tenant that has the budget')
          .option('--cost <usd>', 'US dollars to add', Number)
          .option('--tokens <n>', 'tokens to add', Number)
          .option('--runs <n>', 'runs to add', Number)
          .option('--id <id>', 'sent again with the same id, it adds once'),
      load: async () => (await import('../commands/budgets.ts')).extendBudget,
    },
  ],
};
