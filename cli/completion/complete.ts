import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Io, exitCodes, print } from '../shell/io.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';
import { loadEnvFile } from '../shell/env-file.ts';
import { isKnown, namesIn, refreshNames } from './names-cache.ts';
import { type Candidate, type CompletionContext, completionContext } from './candidates.ts';
import { type CommandLine, forBash, readCommandLine } from './command-line.ts';

export interface CompleteOptions {
  /** bash's own: the line up to the cursor, and the characters at which it splits words. */
  line?: string;
  breaks?: string;
  /** Find out the agents of this config, and print nothing. */
  refresh?: string;
}

/** Printed in place of candidates where the shell itself knows better. */
const FILES = ':files';
/** Longest wait for a completion; without a running server there is no wait. */
const PATIENCE_MS = 2000;
const ABOUT_CELLS = 70;

/**
 * `reloop complete`: candidates for the word at the cursor, one a line, for the scripts of `reloop completion`. An
 * error must not appear in the middle of the user's line: then there are no candidates.
 */
export async function complete(
  io: Io,
  program: Command,
  words: readonly string[],
  options: CompleteOptions,
): Promise<number> {
  try {
    if (options.refresh === undefined) await answer(io, program, words, options);
    else await refresh(io, options.refresh);
  } catch {
    // An error gives no candidates.
  }
  return exitCodes.answered;
}

async function refresh(io: Io, file: string): Promise<void> {
  if (!isKnown(file)) return;
  readEnvFile(io, file);
  await refreshNames(file);
}

async function answer(
  io: Io,
  program: Command,
  words: readonly string[],
  { line, breaks = '' }: CompleteOptions,
): Promise<void> {
  const typed = line === undefined ? asLine(words) : readCommandLine(line);
  const place = completionContext(program, typed.words.slice(1), typed.current);
  if (place.wanted.type === 'files') return print(io, FILES);
  const found = (await candidatesOf(io, place)).map(({ word, about }) => ({
    word: place.prefix + word,
    about,
  }));
  // zsh and fish choose among all candidates by their own rules.
  for (const { word, about } of found) {
    if (line === undefined) print(io, `${oneLine(word)}\t${fit(oneLine(about), ABOUT_CELLS)}`);
    else if (word.startsWith(typed.current)) print(io, forBash(word, typed, breaks));
  }
}

/** Words as a shell gives them that has read them itself, the last of them under the cursor. */
function asLine(words: readonly string[]): CommandLine {
  const current = words.at(-1) ?? '';
  return { words: words.slice(0, -1), current, raw: current, quote: '' };
}

async function candidatesOf(io: Io, { wanted, ...place }: CompletionContext): Promise<Candidate[]> {
  if (wanted.type === 'words') return wanted.words;
  if (wanted.type === 'files') return [];
  readEnvFile(io, place.config);
  const deadline = Date.now() + PATIENCE_MS;
  if (wanted.type === 'agents') return namesIn(place.config, 'agents', deadline);
  if (wanted.type === 'evals') return [...wanted.words, ...(await namesIn(place.config, 'evals', deadline))];
  const { lookUp } = await import('./look-up.ts');
  const tooLate = sleep(PATIENCE_MS, [], { ref: false });
  return Promise.race([lookUp(wanted, place), tooLate]);
}

/** Reads the `.env` of a known config only: one in a downloaded folder must not decide where TAB connects. Ignores a broken one. */
function readEnvFile({ env }: Io, config: string | undefined): void {
  if (!isKnown(config)) return;
  try {
    loadEnvFile(env, config);
  } catch {
    // The next command says what is wrong.
  }
}
