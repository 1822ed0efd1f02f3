import { type Command, InvalidArgumentError } from 'commander';
import { isObject, parseJson } from '../../agent/values/json-object.ts';
import type { JsonObject } from '../../agent/values/vocabulary.ts';
import { typedMs } from '../../agent/values/typed-ms.ts';
import { LISTEN_ADDRESS } from '../../config/listen-address.ts';
import { shellWord } from '../../client/connect/cli-name.ts';

/** Options that every command takes. */
export interface CommonOptions {
  json?: boolean;
  address?: string;
  namespace?: string;
  config?: string;
  taskQueue?: string;
  debug?: boolean;
  /** The sender, in commands that start, decide, or send a message. */
  as?: string;
}

export function withCommonOptions(command: Command): Command {
  return command
    .optionsGroup('Options of every command:')
    .option('--json', 'print one JSON object on stdout')
    .option('--address <host:port>', 'Temporal server (default: TEMPORAL_ADDRESS, or our own)')
    .option('--namespace <name>', 'Temporal namespace (default: TEMPORAL_NAMESPACE, or default)')
    .option('--config <file>', 'config module (default: reloop.config.ts, .mts, .js or .mjs, here or above)')
    .option('--task-queue <name>', "default: the config's, TEMPORAL_TASK_QUEUE, or reloop")
    .option('--debug', 'print the whole stack of an error, with its causes');
}

/** The option of commands that start a run, decide, or send a message to a run. */
export function withSenderOption(command: Command): Command {
  return command.option('--as <name>', 'who says it; recorded with the run (a proof: RELOOP_CREDENTIAL)');
}

/** Milliseconds of 30s, 10m, 1h, 250ms. A number without a unit is refused: its author means seconds or minutes. */
export function milliseconds(text: string): number {
  const ms = /[a-z]\s*$/u.test(text) ? typedMs(text) : undefined;
  if (ms === undefined) throw new InvalidArgumentError('Write a number and its unit: 30s, 10m or 1h.');
  return ms;
}

/** The value of an option that sets a limit, or takes it away. Not null for none: commander makes '' of that. */
export type Limit = number | 'none';

export const wholeLimit = limitLike(/^\d+$/u, 'Write a whole number, or none.');
export const dollarLimit = limitLike(/^\d+(?:\.\d+)?$/u, 'Write US dollars such as 0.50, or none.');

function limitLike(form: RegExp, problem: string) {
  return (text: string): Limit => {
    if (text === 'none') return text;
    if (!form.test(text)) throw new InvalidArgumentError(problem);
    return Number(text);
  };
}

/** name=value, given once or more. */
export const variable = pairsLike(/^(\w+)=(.*)$/su, 'Write name=value.');
/** `--edit 2.1=output`, given once or more. */
export const edit = pairsLike(/^(\d+\.\d+)=(.*)$/su, 'Write call=output, such as 2.1="none found".');

function pairsLike(form: RegExp, problem: string) {
  return (text: string, before: { [name: string]: string } = {}): { [name: string]: string } => {
    const [, name, value] = form.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError(problem);
    return { ...before, [name]: value };
  };
}

/** Parses a JSON object. */
export function jsonObject(text: string): JsonObject {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError('Write a JSON object, such as \'{"user":"42"}\'.');
}

/** Parses an option that may be repeated. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/u.test(text)) throw new InvalidArgumentError('Write a whole number from 1.');
  return Number(text);
}

/** Parses a host and a port; a port alone is one of this machine. */
export function listenAddress(text: string): string {
  const address = /^\d+$/u.test(text) ? `127.0.0.1:${port(text)}` : text;
  if (LISTEN_ADDRESS.test(address)) return address;
  throw new InvalidArgumentError('Write an address such as 127.0.0.1:9464.');
}

/** Parses a share of 0 to 100 percent. */
export function percent(text: string): number {
  const number = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : NaN;
  if (!(number <= 100)) throw new InvalidArgumentError('Write a number from 0 to 100.');
  return number;
}

export function port(text: string): number {
  const number = wholeNumber(text);
  if (number > 65_535) throw new InvalidArgumentError('Write a port from 1 to 65535.');
  return number;
}

/** The same options again, for the commands that another command tells the reader to type. */
export function flagsToRepeat({ address, namespace, config }: CommonOptions): string[] {
  return [
    ...(address === undefined ? [] : ['--address', shellWord(address)]),
    ...(namespace === undefined ? [] : ['--namespace', shellWord(namespace)]),
    ...(config === undefined ? [] : ['--config', shellWord(config)]),
  ];
}
