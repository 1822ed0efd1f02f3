import type { Command } from 'commander';
import { cliName } from '../../client/connect/cli-name.ts';

/** Example values of arguments and options. */
const SAMPLES: { readonly [name: string]: string } = {
  agent: 'assistant',
  question: '"What is 2 + 2?"',
  id: 'RUN',
  call: '1.1',
  output: '"42"',
  message: '"Be brief."',
  step: '3',
  text: '"…"',
  name: 'NAME',
  shell: 'bash',
};

/** An error of the command line; with the usage if words are missing or too many. */
export function withUsage(command: Command, error: string): string {
  if (!/^error: (?:missing required argument|required option|too many arguments)/u.test(error)) return error;
  const path = `${cliName()} ${pathOf(command)}`;
  const args = command.usage().replace('[options] ', '').replace('[options]', '');
  const [, missing] = /required option '(.+)' not/u.exec(error) ?? [];
  const mandatory = command.options.filter((option) => option.mandatory).map(({ flags }) => flags);
  const required = new Set([...mandatory, ...(missing === undefined ? [] : [missing])]);
  const usage = [path, args, ...required].join(' ').replaceAll(/ +/gu, ' ').trim();
  const example = [path, args, ...required]
    .join(' ')
    .replaceAll(/ *\[[^\]]*\]/gu, '')
    .replaceAll(/<([^>]*)>/gu, sample);
  return `${error.trim().replace(/\.?$/u, '.')} Usage: ${usage}, for example: ${example.replaceAll(/ +/gu, ' ').trim()}`;
}

function sample(_: string, name: string): string {
  return SAMPLES[name] ?? name.toUpperCase();
}

/** `session show`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
