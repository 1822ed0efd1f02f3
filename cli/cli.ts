import { CommanderError } from 'commander';
import { checkedOutput } from './shell/checked-output.ts';
import { type Io, exitCodes, failureOf, say } from './shell/io.ts';
import { oneLine } from '../features/render/words/amounts.ts';
import { createProgram } from './program.ts';
import { packageVersion } from './shell/version.ts';

/** Carries out one command line; resolves with the exit code and never throws. */
export async function cli(words: readonly string[], outside: Io): Promise<number> {
  const stdout = checkedOutput(outside.stdout);
  const stderr = checkedOutput(outside.stderr);
  const io = { ...outside, stdout, stderr };
  const code = await carryOut(words, io);
  const lost = (await stdout.written()) ?? (await stderr.written());
  if (lost === undefined) return code;
  say(io, `error: The output could not be written: ${oneLine(lost.message)}.`);
  return code === exitCodes.answered ? exitCodes.failed : code;
}

async function carryOut(words: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.answered;
  try {
    const program = createProgram(io, packageVersion(), (given) => (code = given));
    const names = program.commands.map((command) => command.name());
    await program.parseAsync(optionsBehind(words, names), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.answered : exitCodes.usage;
    const { errorLines } = await import('./print/error-lines.ts');
    for (const line of errorLines(error, { debug: isDebug(words) })) say(io, line);
    return failureOf(error).code;
  }
}

/** Options belong to a command, and some write them before it: `reloop --json list`. */
function optionsBehind(words: readonly string[], commands: readonly string[]): readonly string[] {
  const command = words.findIndex((word) => commands.includes(word));
  if (command <= 0 || words[0]?.startsWith('-') !== true) return words;
  return [...words.slice(command), ...words.slice(0, command)];
}

/** True if the command line has --debug, even if the rest could not be read. */
function isDebug(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).includes('--debug');
}
