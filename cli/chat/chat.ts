import { queueOf } from '../connection/ask-in-session.ts';
import { checkModel } from '../connection/command-config.ts';
import { needsWorker } from '../connection/command-worker.ts';
import { type CliContext, openTemporal } from '../connection/context.ts';
import { type CommandConfig, namedQueue, queuesOf, serving } from '../connection/task-queue.ts';
import type { CommonOptions } from '../options/options.ts';
import type { OverrideOptions } from '../options/override-options.ts';
import { type Io, UsageError, say } from '../shell/io.ts';
import type { AsyncQueue, ChatEvent } from './chat-events.ts';
import type { ChatTerminal } from './chat-terminal.ts';

export interface ChatOptions extends CommonOptions, OverrideOptions {
  session?: string;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  wait: boolean;
}

/** The settings with which a chat starts, at a terminal or from a pipe. */
export interface ChatStart {
  connection: ChatConnection;
  config: CommandConfig | undefined;
  options: ChatOptions;
  agent: string;
  session: string;
}

export interface Chat extends ChatStart {
  terminal: ChatTerminal;
  events: AsyncQueue<ChatEvent>;
  /** The conversation has a message. */
  begun: boolean;
  /** Questions that were typed while a run was at work. */
  ahead: string[];
  /** Id of the latest run. */
  last: string | undefined;
  /** Runs that continue without being followed. */
  detached: Set<string>;
  /** Number of runs that were followed. */
  turns: number;
}

/** The server of a chat and, where no other worker stays, its worker: opened once, and again after a loss. */
export interface ChatConnection {
  /** Connects, with a worker for a question to this agent. Throws UsageError, TemporalUnreachable. */
  connect(io: Io, question: { agent: string; session: string | undefined }): Promise<ServedQueue>;
  /** Connects without a worker. */
  server(io: Io): Promise<CliContext>;
  /** This process is a worker. */
  serves(): boolean;
  /** Closes the connection; the next call opens another one. */
  reset(): Promise<void>;
}

export interface ServedQueue {
  context: CliContext;
  taskQueue: string;
}

export function createChatConnection(
  options: CommonOptions & Pick<ChatOptions, 'model'>,
  config: CommandConfig | undefined,
): ChatConnection {
  let context: CliContext | undefined;
  let served: string | undefined;
  const server = async (io: Io) => {
    context ??= await openTemporal(io, { ...options, loaded: config?.loaded });
    context.notify = (line) => say(io, line);
    return context;
  };
  return {
    server,
    serves: () => served !== undefined,
    async connect(io, { agent, session }) {
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
    async reset() {
      const lost = context;
      [context, served] = [undefined, undefined];
      await lost?.close().catch(() => undefined); // the server is gone
    },
  };
}

function elsewhere(taskQueue: string): UsageError {
  return new UsageError(
    `This conversation is on task queue ${taskQueue}, and this chat works on another. Start ${serving('worker', taskQueue)}, or start a separate chat for it.`,
  );
}
