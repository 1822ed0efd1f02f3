import { Argument, type Command } from 'commander';
import type { Io } from '../io.ts';
import type { CompleteOptions } from './complete.ts';

/** The verb that the completion scripts ask; nothing for people. */
export const COMPLETE = 'complete';

/** `reloop completion` and what its scripts ask; `done` is told the exit code. */
export function addCompletion(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('completion')
    .summary('print what a shell reads to complete commands on TAB')
    .description('Print what a shell reads to complete commands on TAB: commands, options, agents, runs.')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => done((await import('../commands/completion.ts')).completion(io, shell)));

  program
    .command(`${COMPLETE} [words...]`, { hidden: true })
    .option('--line <line>')
    .option('--breaks <characters>')
    .option('--refresh <file>')
    .action(async (words: string[], options: CompleteOptions) =>
      done(await (await import('./complete.ts')).complete(io, program, words, options)),
    );
}
