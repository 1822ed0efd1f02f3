import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { variable } from '../options.ts';
import type { ChatOptions } from './chat-state.ts';

/** `reloop chat`, as it is typed; `done` is told the exit code. */
export function addChat(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('chat [agent]')
    .summary('talk to an agent')
    .description('Talk to an agent: a prompt that keeps a conversation, streams, and asks you what waits.')
    .option('--session <name>', 'conversation to go on with (default: a new one)')
    .option('--model <name>', "in place of the agent's")
    .option(
      '--var <name=value>',
      "a value for the agent's own {name} in its prompt; may be repeated",
      variable,
    )
    .option('--no-wait', 'of questions from a pipe: when a call waits for a person, exit with 4')
    .action(async (agent: string | undefined, options: ChatOptions) =>
      done(await (await import('../commands/chat.ts')).chat(io, agent, options)),
    );
}
