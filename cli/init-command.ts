import { Command } from 'commander';
import type { InitOptions } from './commands/init.ts';

/** `init` speaks to no server and loads no config, so it has none of the options of the others. */
export function initCommand(run: (folder: string, options: InitOptions) => Promise<void>): Command {
  return new Command('init')
    .argument('[dir]', 'where', '.')
    .summary('begin a project, or add to one that is there')
    .description(
      'Begins a project, or adds to one that is there: an agent with two tools, a test, a Dockerfile. No file is overwritten.',
    )
    .option('--package <spec>', 'the reloop to install: a version, a folder, a tarball (default: this one)')
    .option('--no-install', 'leave `npm install` to you')
    .option('--json', 'print one JSON object on stdout')
    .action(async (folder: string, options: InitOptions) => run(folder, options));
}
