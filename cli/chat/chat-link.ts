import type { LoadedConfig } from '../../config/loaded-config.ts';
import { queueOf } from '../ask-in-session.ts';
import { checkModel } from '../check-agent.ts';
import { queuesOf } from '../command-config.ts';
import { type CliContext, namedQueue, needsWorker, openTemporal } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { type Io, say } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { type CommandConfig, serving } from '../task-queue.ts';

/** The server of a chat and, where nobody else stays to be one, its worker: opened once, and again where they were lost. */
export interface ChatLink {
  /** Ready for a question to this agent. Throws UsageError, TemporalUnreachable. */
  reach(io: Io, question: { agent: string; session: string | undefined }): Promise<Reached>;
  /** Only the server. */
  server(io: Io): Promise<CliContext>;
  /** This process is a worker. */
  serves(): boolean;
  /** Lets go of what no longer answers. */
  lose(): Promise<void>;
}

export interface Reached {
  context: CliContext;
  taskQueue: string;
}

export interface LinkOptions extends CommonOptions {
  model?: string;
}

export function createChatLink(options: LinkOptions, config: CommandConfig | undefined): ChatLink {
  let context: CliContext | undefined;
  let served: string | undefined;
  const server = async (io: Io) => {
    context ??= await openTemporal(io, options);
    context.notify = (line) => say(io, line);
    return context;
  };
  return {
    server,
    serves: () => served !== undefined,
    async reach(io, { agent, session }) {
      const open = await server(io);
      const { runs } = await queuesOf(open, config, namedQueue(io, options));
      const taskQueue =
        session === undefined ? runs : await queueOf(open, { name: session, config, taskQueue: runs });
      if (config === undefined || served === taskQueue) return { context: open, taskQueue };
      if (await needsWorker(open, taskQueue)) {
        if (served !== undefined) throw elsewhere(taskQueue);
        checkModel(config.loaded, agent, options.model);
        await open.startWorker(config, 'run', [taskQueue]);
        served = taskQueue;
      }
      return { context: open, taskQueue };
    },
    async lose() {
      const lost = context;
      [context, served] = [undefined, undefined];
      await lost?.close().catch(() => undefined); // what is gone cannot say good-bye
    },
  };
}

/** Whether an agent's prompt has a place for what was said before; true where its config is not here. */
export function takesHistory(loaded: LoadedConfig | undefined, agent: string): boolean {
  const kind = loaded?.manifest(agent, {})?.kind ?? '';
  return loaded?.kinds.get(kind)?.chatHistory !== false;
}

function elsewhere(taskQueue: string): UsageError {
  return new UsageError(
    `This conversation is on task queue ${taskQueue}, and this chat works on another. Start ${serving('worker', taskQueue)}, or begin a chat of its own for it.`,
  );
}
