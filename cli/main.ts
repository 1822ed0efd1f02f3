#!/usr/bin/env node
import { Console } from 'node:console';
import nodeModule from 'node:module';
import { compiledFolder } from './shell/compiled-folder.ts';
import { nameInstance } from './shell/instance-id.ts';
import type { Io } from './shell/io.ts';
import { nodeProblem } from './shell/node-version.ts';

const { stdin, stdout, stderr, env } = process;

nameInstance(env);
// Output of tools and configs must not mix with the command's result on stdout.
globalThis.console = new Console(stderr, stderr);
// A reader that has seen enough (`reloop show ID | head`) ends the command. `cli` reports all other write errors.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  });
}

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  stderr.write(`${problem}\n`);
  process.exit(1);
}
// Node 22.1 and later keep what they have compiled.
const compiled = compiledFolder(env);
if (compiled !== undefined)
  (nodeModule as { enableCompileCache?(folder: string): unknown }).enableCompileCache?.(compiled);
// Imported after the check of the version: an older Node fails at the imports.
const { cli } = await import('./cli.ts');
const code = await cli(process.argv.slice(2), { stdin, stdout, stderr, env, onSignal: signals() });
process.exitCode = code;
// Handles that a config or a tool left open must not keep the command alive.
stdout.write('', () => process.exit(code));

/** The first signal goes to the latest handler, if there is one; any other ends the process. */
function signals(): Io['onSignal'] {
  const numbers = { SIGINT: 130, SIGTERM: 143 } as const;
  const handlers: Parameters<Io['onSignal']>[0][] = [];
  let taken = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const handler = handlers.at(-1);
      if (taken || handler === undefined) process.exit(numbers[signal]);
      taken = true;
      handler(signal);
    });
  }
  return (handler) => {
    handlers.push(handler);
    return () => void handlers.splice(handlers.indexOf(handler), 1);
  };
}
