import { UsageError } from '../exit-codes.ts';
import { type Io, ask, say } from '../io.ts';
import { fit, oneLine } from '../print/display.ts';
import type { CommandConfig } from '../task-queue.ts';
import { reloop } from '../../client/typed-command.ts';

/** The agent to talk to: the one that is named, else the only one, else the one that is picked from a list. Throws UsageError. */
export async function chooseAgent(
  io: Io,
  config: CommandConfig | undefined,
  named: string | undefined,
  atTerminal: boolean,
): Promise<string> {
  if (named !== undefined) return named;
  const names = [...(config?.loaded.agents.keys() ?? [])];
  const [only, second] = names;
  if (only === undefined)
    throw new UsageError(`There is no config here, so name the agent: ${reloop()} chat AGENT`);
  if (second === undefined) return only;
  if (!atTerminal)
    throw new UsageError(`Which agent? ${reloop()} chat AGENT. The config has: ${names.join(', ')}.`);
  for (const [index, [name, { description = '' }]] of [...(config?.loaded.agents ?? [])].entries())
    say(
      io,
      fit(
        `${String(index + 1).padStart(3)}  ${name}  ${oneLine(description)}`.trimEnd(),
        io.stderr.columns ?? 80,
      ),
    );
  const typed = await ask(io, 'Which agent? (a number or a name) ');
  const chosen = names.includes(typed) ? typed : names[Number(typed) - 1];
  if (chosen === undefined) throw new UsageError(`"${typed}" is none of them: ${reloop()} chat AGENT`);
  return chosen;
}
