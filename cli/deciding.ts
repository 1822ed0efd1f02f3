import { Command, Option } from 'commander';
import { type DecisionName, decisionNames, ruleOf } from '../agent/rules/decisions.ts';
import { type BulkOptions, misuse, withBulkOptions } from './bulk/bulk-options.ts';
import type { ReasonOptions, Typed } from './commands/decide.ts';
import type { CommonOptions } from './options.ts';

/** What the commands do: of one run, or with `--all` of everything that fits. */
export interface Deciding {
  decide(id: string, type: DecisionName, typed: Typed, options: CommonOptions): Promise<void>;
  decideAll(type: DecisionName, typed: Omit<Typed, 'call'>, options: BulkOptions): Promise<void>;
  cancel(id: string, call: string | undefined, options: ReasonOptions): Promise<void>;
  cancelAll(options: BulkOptions & ReasonOptions): Promise<void>;
}

const JSON_OR_TEXT = 'taken as JSON if it is an object or an array, else as text';
const INPUT = `other input; ${JSON_OR_TEXT}`;
const REASON = 'why';

/** A command for each decision, and `cancel`, which is about runs as well as about calls. */
export function decidingCommands(deciding: Deciding): Command[] {
  const decisions = decisionNames.filter((name) => name !== 'cancelCall');
  return [...decisions.map((name) => decisionCommand(name, deciding)), cancelCommand(deciding)];
}

type DecisionOptions = ReasonOptions & BulkOptions & Pick<Typed, 'input' | 'remember'>;

function decisionCommand(name: DecisionName, { decide, decideAll }: Deciding): Command {
  const { does, takes } = ruleOf(name);
  const takesOutput = takes.output !== undefined;
  const command = new Command(name)
    .summary(does.charAt(0).toLowerCase() + does.slice(1))
    .description(`${does}. ${leftOut(name)}`)
    .usage(takesOutput ? '[options] <id> [call] <output>' : '[options] <id> [call]')
    .argument('[id]')
    .argument('[call]');
  if (takesOutput) command.argument('[output]');
  if (takes.input !== undefined) command.option('--input <input>', INPUT);
  if (takes.remember !== undefined) {
    const remember = new Option(
      '--remember <what>',
      'do not ask again in this run: for this tool, or this input of it',
    );
    command.addOption(remember.choices(['tool', 'input']));
  }
  // A required option would be asked for before the run is.
  if (takes.reason !== undefined) command.option('--reason <text>', REASON);
  withBulkOptions(command);
  return command.action(async (...given: unknown[]) => {
    const options: DecisionOptions = command.opts();
    const words = given.filter((word) => typeof word === 'string');
    const output = takesOutput ? words.pop() : undefined;
    const { input, reason, remember } = options;
    const typed = { output, input, reason, remember };
    const isMissing = takesOutput && (output === undefined || (options.all !== true && words.length === 0));
    const problem = isMissing ? missing(options, output) : misuse(words, options);
    if (problem !== undefined) return refuse(command, problem);
    if (takes.reason === 'required' && options.reason === undefined) {
      return refuse(command, "required option '--reason <text>' not specified");
    }
    const [id, call] = words;
    return id === undefined ? decideAll(name, typed, options) : decide(id, name, { ...typed, call }, options);
  });
}

function cancelCommand({ cancel, cancelAll }: Deciding): Command {
  const command = new Command('cancel')
    .summary('cancel a run, or one running tool call')
    .description('Cancel a run, or one running tool call.')
    .usage('[options] <id> [call]')
    .argument('[id]')
    .argument('[call]')
    .option('--reason <text>', 'what the model is told of a cancelled call');
  withBulkOptions(command);
  return command.action(
    async (id: string | undefined, call: string | undefined, options: DecisionOptions) => {
      const problem = misuse(
        [id, call].filter((word) => word !== undefined),
        options,
      );
      if (problem !== undefined) return refuse(command, problem);
      return id === undefined ? cancelAll(options) : cancel(id, call, options);
    },
  );
}

/** Of a command that ends with a result, one word is the result. */
function missing({ all = false }: BulkOptions, output: string | undefined): string {
  return `missing required argument '${output === undefined && !all ? 'id' : 'output'}'`;
}

function refuse(command: Command, problem: string): never {
  return command.error(`error: ${problem}`);
}

function leftOut(name: DecisionName): string {
  const token =
    ruleOf(name).takes.token === undefined ? '' : ' <id> may be the token that a deferred call gave out.';
  const over = name === 'retry' ? ' A run that has failed goes back to the calls that did not end.' : '';
  const call = `[call] may be left out when one call waits.${token}${over}`;
  return ruleOf(name).takes.output === undefined ? call : `<output> is ${JSON_OR_TEXT}; ${call}`;
}
