import { type Command, Option } from 'commander';
import { type DecisionName, decisionNames, ruleOf } from '../../agent/rules/decisions.ts';
import type { ReasonOptions } from '../commands/decide.ts';
import { type BulkOptions, misuse, withBulkOptions } from '../options/bulk-options.ts';
import { withSenderOption } from '../options/options.ts';
import type { DecisionWords } from '../options/typed-decision.ts';
import type { Io } from '../shell/io.ts';
import { type CommandSpec, asSummary } from './command.ts';

const JSON_OR_TEXT = 'taken as JSON if it is an object or an array, otherwise as text';

type DecisionOptions = ReasonOptions & BulkOptions & Pick<DecisionWords, 'input' | 'remember'>;

/** A command for each decision on a call, and `cancel`, which is for runs as well. */
export const decidingCommands: readonly CommandSpec[] = [
  ...decisionNames.filter((name) => name !== 'cancelCall').map(decisionCommand),
  {
    usage: 'cancel',
    summary: 'cancel a run, or one running tool call',
    options: (command) =>
      withBulkOptions(
        withTarget(command).option('--reason <text>', 'text for the model about a cancelled call'),
      ),
    load: async (command) => (io: Io) => runCancel(io, command),
  },
];

function decisionCommand(name: DecisionName): CommandSpec {
  const { does, takes } = ruleOf(name);
  return {
    usage: name,
    summary: asSummary(does),
    description: `${does}. ${targetHelp(name)}`,
    options(command) {
      withTarget(command);
      if (takes.output !== undefined) command.argument('[output]').usage('[options] <id> [call] <output>');
      if (takes.input !== undefined) command.option('--input <input>', `other input; ${JSON_OR_TEXT}`);
      if (takes.remember !== undefined) {
        const what = 'do not ask again in this run: for this tool, or this input of it';
        command.addOption(new Option('--remember <what>', what).choices(['tool', 'input']));
      }
      // A required option would be checked before the words are.
      if (takes.reason !== undefined) command.option('--reason <text>', 'why');
      return withBulkOptions(command);
    },
    load: async (command) => (io: Io) => runDecision(io, name, command),
  };
}

/** Decides on one call, or with `--all` on every call that fits. The output is the last word. */
async function runDecision(io: Io, name: DecisionName, command: Command): Promise<number> {
  const { takes } = ruleOf(name);
  const options: DecisionOptions = command.opts();
  const { all = false, input, reason, remember } = options;
  const words = [...command.args];
  const output = takes.output === undefined ? undefined : words.pop();
  const isMissing = takes.output !== undefined && (output === undefined || (!all && words.length === 0));
  const isUnexplained = takes.reason === 'required' && reason === undefined;
  const problem = isMissing
    ? `missing required argument '${output === undefined && !all ? 'id' : 'output'}'`
    : (misuse(words, options) ??
      (isUnexplained ? "required option '--reason <text>' not specified" : undefined));
  if (problem !== undefined) return command.error(`error: ${problem}`);
  const [id, call] = words;
  const typed = { output, input, reason, remember };
  if (id === undefined) return (await import('../commands/bulk.ts')).decideAll(io, name, typed, options);
  return (await import('../commands/decide.ts')).decide(io, id, name, { ...typed, call }, options);
}

async function runCancel(io: Io, command: Command): Promise<number> {
  const options: DecisionOptions = command.opts();
  const problem = misuse(command.args, options);
  if (problem !== undefined) return command.error(`error: ${problem}`);
  const [id, call] = command.args;
  if (id === undefined) return (await import('../commands/bulk.ts')).cancelAll(io, options);
  return (await import('../commands/decide.ts')).cancel(io, id, call, options);
}

function withTarget(command: Command): Command {
  return withSenderOption(command.usage('[options] <id> [call]').argument('[id]').argument('[call]'));
}

function targetHelp(name: DecisionName): string {
  const { takes } = ruleOf(name);
  const token = takes.token === undefined ? '' : ' <id> may be the token that a deferred call gave out.';
  const over =
    name === 'retry'
      ? ' A run that has failed goes back to the calls that did not end; all of them: --all --status failed.'
      : '';
  const call = `[call] may be left out when one call waits.${token}${over}`;
  return takes.output === undefined ? call : `<output> is ${JSON_OR_TEXT}; ${call}`;
}
