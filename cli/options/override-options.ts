import type { Command } from 'commander';
import type { RunContext } from '../../agent/definition/run-context.ts';
import {
  type Flag,
  type StartOverrides,
  startFieldList,
  type startFields,
} from '../../agent/start/start-fields.ts';
import {
  type Limit,
  dollarLimit,
  jsonObject,
  milliseconds,
  repeated,
  wholeLimit,
  wholeNumber,
} from './options.ts';

type StartFields = typeof startFields;
type FlagsOf<F> = F extends { flags: readonly (infer One)[] } ? One : never;
type StartFlag = FlagsOf<StartFields[keyof StartFields]>;
interface OptionValues {
  text: string;
  texts: string[];
  count: Limit;
  dollars: Limit;
  /** Milliseconds. */
  duration: number;
  number: number;
  object: RunContext;
}

/** Options of an agent that a run may override, as they are typed: `maxTime` in milliseconds, `tag` a list. */
export type OverrideOptions = { [F in StartFlag as F['option']]?: OptionValues[F['form']] };

const parsers: { readonly [F in Exclude<Flag['form'], 'text'>]: (text: string, before: unknown) => unknown } =
  {
    texts: (text, before) => repeated(text, before as string[] | undefined), // its own list
    number: wholeNumber,
    count: wholeLimit,
    dollars: dollarLimit,
    duration: milliseconds,
    object: jsonObject,
  };

/** Adds an option for each field of a start that has one. */
export function withOverrides(command: Command): Command {
  for (const { option, value, help, form } of startFieldList.flatMap(({ flags = [] }) => flags)) {
    const flag = `--${option.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)} ${value}`;
    if (form === 'text') command.option(flag, help);
    else command.option(flag, help, parsers[form]);
  }
  return command;
}

/** The fields of a start in the options that were typed. */
export function overridesIn(options: OverrideOptions): StartOverrides {
  const fields = startFieldList.map(({ name, flags = [] }) => [name, fieldIn(options, flags)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function fieldIn(options: OverrideOptions, flags: readonly Flag[]): unknown {
  const typed: { readonly [option: string]: unknown } = options;
  const given = flags.flatMap(({ option, field, form }) => {
    const value = typed[option];
    if (value === undefined) return [];
    const isUnlimited = value === 'none' && (form === 'count' || form === 'dollars');
    return [{ field, value: isUnlimited ? null : value }];
  });
  const [first] = given;
  if (first === undefined || first.field === undefined) return first?.value;
  return Object.fromEntries(given.map(({ field, value }) => [field, value]));
}
