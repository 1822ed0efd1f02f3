import { Command } from 'commander';
import { type RunMessageName, runMessageNames, runMessages } from '../agent/rules/run-messages.ts';
import { type CommonOptions, milliseconds } from './options.ts';

/** Says something to a run as a whole; `data` as its update takes it. */
export type Steer = (
  id: string,
  name: RunMessageName,
  data: unknown,
  options: CommonOptions,
) => Promise<void>;

/** A command for each thing that can be said to a run. */
export function steeringCommands(steer: Steer): Command[] {
  return runMessageNames.map((name) => {
    const { does } = runMessages[name];
    const command = new Command(name)
      .summary(does.charAt(0).toLowerCase() + does.slice(1))
      .description(`${does}.`)
      .argument('<id>');
    return takesData[name](command, (id, data, options) => steer(id, name, data, options));
  });
}

type Send = (id: string, data: unknown, options: CommonOptions) => Promise<void>;

interface ExtendOptions extends CommonOptions {
  iterations?: number;
  time?: number;
  tokens?: number;
  cost?: number;
}

/** How each is typed. What it says is checked by the rules that the run goes by. */
const takesData: { readonly [N in RunMessageName]: (command: Command, send: Send) => Command } = {
  say: (command, send) =>
    command
      .argument('<message>')
      .action((id: string, message: string, options: CommonOptions) => send(id, { message }, options)),
  pause: withoutData,
  resume: withoutData,
  extend: (command, send) =>
    command
      .option('--iterations <n>', 'more turns', Number)
      .option('--time <duration>', 'more time, such as 30s or 10m', milliseconds)
      .option('--tokens <n>', 'a larger budget of tokens', Number)
      .option('--cost <usd>', 'a larger budget of US dollars', Number)
      .action((id: string, options: ExtendOptions) => {
        const { iterations, time, tokens, cost } = options;
        return send(id, { iterations, time, tokens, cost }, options);
      }),
};

function withoutData(command: Command, send: Send): Command {
  return command.action((id: string, options: CommonOptions) => send(id, undefined, options));
}
