import type { DoctorOptions } from './commands/doctor.ts';
import type { DevOptions } from './commands/dev.ts';
import type { SessionListOptions } from './commands/session.ts';
import { type Add, type EndCommand, sentence } from './add-command.ts';
import type { Io } from './io.ts';
import { type CommonOptions, port, wholeNumber } from './options.ts';

/** What is said to agents over several runs. */
export function addSessions(add: Add, io: Io, done: EndCommand): void {
  const session = add(
    'session',
    'list, show or clear conversations',
    ': `reloop run --session NAME` begins one',
  );
  const addOwn: Add = (usage, summary) =>
    session.command(usage).summary(summary).description(sentence(summary));
  const commands = () => import('./commands/session.ts');

  addOwn('list', 'list conversations, latest first')
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .action(async (options: SessionListOptions) => done(await (await commands()).listSessions(io, options)));

  addOwn('show <name>', 'print what was said, and which runs said it').action(
    async (name: string, options: CommonOptions) =>
      done(await (await commands()).showSession(io, name, options)),
  );

  addOwn('clear <name>', 'forget a conversation').action(async (name: string, options: CommonOptions) =>
    done(await (await commands()).clearSession(io, name, options)),
  );
}

/** What runs agents, and what there is to run. */
export function addServing(add: Add, io: Io, done: EndCommand): void {
  add('worker', 'run agents for a Temporal server, until Ctrl-C').action(async (options: CommonOptions) =>
    done(await (await import('./commands/worker.ts')).worker(io, options)),
  );

  add('dev', 'Temporal, its Web UI and a worker, until Ctrl-C')
    .option('--port <port>', 'of Temporal (default: 7233)', port)
    .option('--ui-port <port>', 'of the Web UI (default: 8233)', port)
    .option('--no-watch', 'do not look at changes of the config and of what it imports')
    .action(async (options: DevOptions) => done(await (await import('./commands/dev.ts')).dev(io, options)));

  add('agents', 'list the agents of the config').action(async (options: CommonOptions) =>
    done(await (await import('./commands/agents.ts')).agents(io, options)),
  );

  add('tools', 'list the tools of the config').action(async (options: CommonOptions) =>
    done(await (await import('./commands/tools.ts')).tools(io, options)),
  );

  add('doctor', 'say what works here, and what to do about the rest')
    .option('--probe', 'ask the model of each agent for one token')
    .action(async (options: DoctorOptions) =>
      done(await (await import('./commands/doctor.ts')).doctor(io, options)),
    );
}
