import { CommanderError } from 'commander';
import { exitCodes, failureOf } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import { createProgram } from './program.ts';
import { packageVersion } from './version.ts';

/** Carries out one command line; resolves with the exit code and never throws. */
export async function cli(words: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.answered;
  try {
    await createProgram(io, packageVersion(), (given) => (code = given)).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.answered : exitCodes.usage;
    const failure = failureOf(error);
    say(io, failure.line);
    return failure.code;
  }
}
