import { variable, wholeNumber } from '../../../cli/options/options.ts';
import { withOverrides } from '../../../cli/options/override-options.ts';
import { moment, withOverlap, withScheduleTimes } from './schedule-options.ts';
import type { CommandGroup } from '../../../cli/declare/command.ts';

const NOTE = 'why; shown with the schedule';

/** Commands for runs at set times. */
export const scheduleCommands: CommandGroup = {
  usage: 'schedule',
  summary: 'run agents at set times',
  description:
    'Run agents at set times, by Schedules of Temporal. `sync` makes the server have those of the config.',
  commands: [
    {
      usage: 'create <name> <agent> [question]',
      summary: 'make a schedule',
      description:
        'Make a schedule that asks one question, or with --inputs each question of a file, as it is now: a batch, which the worker runs.',
      options: (command) =>
        withOverrides(withScheduleTimes(command))
          .option(
            '--inputs <file>',
            'CSV with a header or JSON Lines, as of `batch`; in place of the question',
          )
          .option('--column <name>', 'column with the question (default: input, question, or the only one)')
          .option(
            '--concurrency <n>',
            'with --inputs: runs under way at the same time (default: 4)',
            wholeNumber,
          )
          .option('--var <name=value>', "a value for the agent's own {name}; repeatable", variable)
          .option('--paused', 'start nothing before `resume`'),
      load: async () => (await import('./schedule.ts')).createSchedule,
    },
    {
      usage: 'list',
      summary: 'list schedules, with their next and latest runs',
      load: async () => (await import('./schedule.ts')).listSchedules,
    },
    {
      usage: 'show <name>',
      summary: 'print a schedule, its next times and its latest runs',
      load: async () => (await import('./schedule.ts')).showSchedule,
    },
    {
      usage: 'pause <name>',
      summary: 'start no runs until resume',
      options: (command) => command.option('--note <text>', NOTE),
      load: async () => (await import('./schedule.ts')).pauseSchedule,
    },
    {
      usage: 'resume <name>',
      summary: 'let a paused schedule start runs',
      options: (command) => command.option('--note <text>', NOTE),
      load: async () => (await import('./schedule.ts')).resumeSchedule,
    },
    {
      usage: 'trigger <name>',
      summary: 'start a run now, and print its id',
      options: withOverlap,
      load: async () => (await import('./schedule.ts')).triggerSchedule,
    },
    {
      usage: 'backfill <name>',
      summary: 'start the runs of a time that is over',
      options: (command) =>
        withOverlap(command)
          .requiredOption('--start-time <time>', 'such as 2026-12-01T00:00:00Z', moment)
          .requiredOption('--end-time <time>', 'such as 2026-12-02T00:00:00Z', moment),
      load: async () => (await import('./schedule.ts')).backfillSchedule,
    },
    {
      usage: 'delete <name>',
      summary: 'delete a schedule; its runs stay',
      load: async () => (await import('./schedule.ts')).deleteSchedule,
    },
    {
      usage: 'sync',
      summary: 'make the server have the schedules of the config',
      description:
        'Make the server have the schedules of the config. Schedules that `sync` did not make stay as they are. Everything is checked before the first change.',
      options: (command) =>
        command
          .option('--dry-run', 'say what would change, and change nothing')
          .option('--delete', 'delete schedules that are not in the config any more'),
      load: async () => (await import('./schedule.ts')).syncSchedules,
    },
  ],
};
