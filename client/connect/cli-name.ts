import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The command as the user types it: `reloop` if the shell finds it; otherwise `npx reloop`, which runs the project's own
 * copy. npm, while it runs a script, adds folders to PATH that the user's shell does not have.
 */
export function cliName({ PATH = '' }: { [name: string]: string | undefined } = process.env): string {
  if (PATH === lookedAt) return typed;
  const folders = PATH.split(delimiter).filter(
    (folder) => !/[/\\]node_modules[/\\]\.bin[/\\]?$/u.test(folder),
  );
  const isFound = folders.some((folder) => folder !== '' && existsSync(join(folder, 'reloop')));
  [lookedAt, typed] = [PATH, isFound ? 'reloop' : 'npx reloop'];
  return typed;
}

/** Every error that names a command asks for it, in a program's server too: PATH is looked through once. */
let lookedAt: string | undefined;
let typed = '';

/** Messages without the sentence that names a command. */
const facts = new WeakMap<Error, string>();

/** Adds a sentence that names a command, for a person at a terminal. */
export function advised<E extends Error>(error: E, advice: string): E {
  facts.set(error, error.message);
  error.message += ` ${advice}`;
  return error;
}

/** The message for a reader without a terminal: it names no command. */
export function messageWithoutAdvice(error: Error): string {
  return facts.get(error) ?? error.message;
}

/** An argument quoted for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** An argument that the reader has to write. */
export const TO_WRITE = '…';

/** A command to be typed; `options` are quoted already. An argument that starts with - stands after a --, which ends the options. */
export function typedCommand(verb: string, args: readonly string[], options: readonly string[] = []): string {
  const words = args.map((arg) => (arg === TO_WRITE ? `"${TO_WRITE}"` : shellWord(arg)));
  const line = args.some((arg) => arg.startsWith('-'))
    ? [...options, '--', ...words]
    : [...words, ...options];
  return [cliName(), verb, ...line].join(' ');
}
