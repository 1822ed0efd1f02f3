import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../options/options.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { loadEnvFile } from '../shell/env-file.ts';
import type { Io } from '../shell/io.ts';
import { withUsage } from '../shell/missing-words.ts';

export interface CommandSpec {
  /** `show <id>`. */
  usage: string;
  /** The line in the list of all commands; a command without one is hidden. */
  summary?: string;
  /** Text of the command's own help. Default: the summary as a sentence. */
  description?: string;
  /** Adds options, and arguments that `usage` cannot say. */
  options?(command: Command): Command;
  /** Carried out when the words after the group's name are no other command of the group. Default: false. */
  isDefault?: boolean;
  /** Loads the code when the command is called: help must not wait for Temporal. */
  load(command: Command): Promise<CommandCode>;
  /** Default: true. */
  hasCommonOptions?: boolean;
  /** Read a `.env` before the code is loaded, since the code looks into the environment. Default: true. */
  readsEnvFile?: boolean;
}

/** Takes the arguments of the command as they are typed, then its options. Resolves with the exit code. */
export type CommandCode = (io: Io, ...typed: never[]) => number | Promise<number>;

/** Commands with a word in common: `session list`, `session show`. */
export interface CommandGroup extends Pick<CommandSpec, 'usage' | 'summary' | 'description'> {
  commands: readonly CommandSpec[];
}

/** Adds a command, or a group of them, to a program or group. `done` receives the exit code. */
export function addCommand(
  parent: Command,
  spec: CommandSpec | CommandGroup,
  io: Io,
  done: (code: number) => void,
): void {
  const { usage, summary, description } = spec;
  const isDefault = 'isDefault' in spec && spec.isDefault;
  const command = parent.command(usage, { hidden: summary === undefined, isDefault });
  if (summary !== undefined) command.summary(summary).description(description ?? sentence(summary));
  // The message and the suggestion are one line.
  command.configureOutput({
    outputError: (text, write) => write(`${oneLine(withUsage(command, text))}\n`),
  });
  if ('commands' in spec) {
    for (const one of spec.commands) addCommand(command, one, io, done);
    return;
  }
  const { hasCommonOptions = true, readsEnvFile = true } = spec;
  spec.options?.(command);
  if (hasCommonOptions) withCommonOptions(command);
  command.action(async (...given: unknown[]) => {
    if (readsEnvFile) loadEnvFile(io.env, command.opts<CommonOptions>().config);
    const typed = given.slice(0, -1) as never[]; // the last one is the command itself
    const run = await spec.load(command);
    done(await run(io, ...typed));
  });
}

/** A sentence as the list of all commands has it. */
export function asSummary(does: string): string {
  return does.charAt(0).toLowerCase() + does.slice(1);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
