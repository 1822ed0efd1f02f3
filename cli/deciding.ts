import { Command, Option } from 'commander';
import { type DecisionName, decisionNames, ruleOf } from '../agent/rules/decisions.ts';
import type { ReasonOptions, Typed } from './commands/decide.ts';
import type { CommonOptions } from './options.ts';

/** Records a decision of a run's call. */
export type Decide = (id: string, type: DecisionName, typed: Typed, options: CommonOptions) => Promise<void>;

const JSON_OR_TEXT = 'taken as JSON if it is an object or an array, else as text';
const INPUT = `other input; ${JSON_OR_TEXT}`;
const REASON = 'why';

/** A command for each decision but `cancelCall`: `reloop cancel` is about runs as well. */
export function decisionCommands(decide: Decide): Command[] {
  return decisionNames.filter((name) => name !== 'cancelCall').map((name) => decisionCommand(name, decide));
}

type DecisionOptions = ReasonOptions & Pick<Typed, 'input' | 'remember'>;

function decisionCommand(name: DecisionName, decide: Decide): Command {
  const { does, takes } = ruleOf(name);
  const command = new Command(name)
    .summary(does.charAt(0).toLowerCase() + does.slice(1))
    .description(`${does}. ${leftOut(name)}`)
    .argument('<id>');
  if (takes.input !== undefined) command.option('--input <input>', INPUT);
  if (takes.remember !== undefined) {
    const remember = new Option(
      '--remember <what>',
      'do not ask again in this run: for this tool, or this input of it',
    );
    command.addOption(remember.choices(['tool', 'input']));
  }
  if (takes.reason === 'optional') command.option('--reason <text>', REASON);
  if (takes.reason === 'required') command.requiredOption('--reason <text>', REASON);
  if (takes.output === undefined) {
    return command
      .argument('[call]')
      .action((id: string, call: string | undefined, options: DecisionOptions) =>
        decide(id, name, { call, ...typedIn(options) }, options),
      );
  }
  // What may be left out stands before what may not, which Commander does not know: one word is the output.
  return command
    .usage('[options] <id> [call] <output>')
    .argument('<output>')
    .argument('[more]')
    .action((id: string, first: string, second: string | undefined, options: DecisionOptions) => {
      const words = second === undefined ? { output: first } : { call: first, output: second };
      return decide(id, name, { ...words, ...typedIn(options) }, options);
    });
}

function typedIn({ input, reason, remember }: DecisionOptions): Typed {
  return { input, reason, remember };
}

function leftOut(name: DecisionName): string {
  const call = '[call] may be left out when one call waits.';
  return ruleOf(name).takes.output === undefined ? call : `<output> is ${JSON_OR_TEXT}; ${call}`;
}
