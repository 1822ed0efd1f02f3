import { Argument, type Command } from 'commander';
import { listenAddress, percent, port, repeated, wholeNumber, withSenderOption } from '../options/options.ts';
import type { Io } from '../shell/io.ts';
import type { CompleteOptions } from '../completion/complete.ts';
import type { CommandGroup, CommandSpec } from './command.ts';

const CONCURRENCY = "calls of models and tools at a time (default: the config's, or as memory allows)";

/** Commands for sessions, workers, and the project itself. */
export const servingCommands: readonly (CommandSpec | CommandGroup)[] = [
  {
    usage: 'session',
    summary: 'list, show or clear conversations',
    description: 'List, show or clear conversations: `reloop run --session NAME` starts one.',
    commands: [
      {
        usage: 'list',
        summary: 'list conversations, latest first',
        options: (command) => command.option('--limit <n>', 'how many', wholeNumber, 50),
        load: async () => (await import('../commands/session.ts')).listSessions,
      },
      {
        usage: 'show <name>',
        summary: 'print what was said, and which runs said it',
        load: async () => (await import('../commands/session.ts')).showSession,
      },
      {
        usage: 'clear <name>',
        summary: 'forget a conversation',
        load: async () => (await import('../commands/session.ts')).clearSession,
      },
    ],
  },
  {
    usage: 'worker',
    summary: 'run agents for a Temporal server, until Ctrl-C',
    options: (command) =>
      command
        .option('--concurrency <calls>', CONCURRENCY, wholeNumber)
        .option('--queue <name>', "one of the config's task queues; repeatable (default: all)", repeated)
        .option('--health-port <port>', 'answer /live, /ready and /drain over HTTP', port)
        .option('--health-host <address>', 'address of the health port (default: 127.0.0.1)')
        .option(
          '--metrics <host:port>',
          "serve Temporal's metrics of the worker for Prometheus",
          listenAddress,
        ),
    load: async () => (await import('../commands/worker.ts')).worker,
  },
  {
    usage: 'dev',
    summary: 'Temporal, its Web UI and a worker, until Ctrl-C',
    options: (command) =>
      command
        .option('--port <port>', 'of Temporal (default: 7233)', port)
        .option('--ui-port <port>', 'of the Web UI (default: 8233)', port)
        .option('--concurrency <calls>', CONCURRENCY, wholeNumber)
        .option('--no-watch', 'do not look at changes of the config and of what it imports'),
    load: async () => (await import('../commands/dev.ts')).dev,
  },
  {
    usage: 'codec-server',
    summary: 'decrypt payloads for the Web UI, until Ctrl-C',
    description:
      'Decrypt payloads for the Web UI and for the CLI of Temporal, until Ctrl-C. The token is RELOOP_CODEC_TOKEN, or a random one.',
    options: (command) =>
      command
        .option('--port <port>', 'to listen on', port, 8081)
        .option('--host <address>', 'to listen on', '127.0.0.1')
        .option('--origin <url>', "address of a Web UI; repeatable (default: this project's)", repeated),
    load: async () => (await import('../commands/codec-server.ts')).codecServer,
  },
  {
    usage: 'serve',
    summary: 'serve an HTTP API for runs, until Ctrl-C',
    description:
      'Serve an HTTP API for runs, sessions and waiting calls, and an inbox for people, until Ctrl-C. The token is RELOOP_GATEWAY_TOKEN, or a random one.',
    options: (command) =>
      command
        .option('--port <port>', 'to listen on', port, 8700)
        .option('--host <address>', 'to listen on', '127.0.0.1')
        .option('--tokens <file>', 'JSON: [{ token, name, scopes, tenant }], a caller each')
        .option(
          '--callbacks',
          'POST /deferred/TOKEN answers deferred calls; signed with RELOOP_CALLBACK_SECRET',
        )
        .option('--open', 'let everybody on this machine do everything, without a token')
        .option('--origin <url>', 'of web pages that may ask; repeatable (default: none)', repeated)
        .option('--chat', 'serve a chat page at /chat, and at /chat/AGENT')
        .option('--public-url <url>', 'address at which others reach the gateway, for the cards of agents')
        .option('--web-ui <url>', "address of Temporal's Web UI, for links (default: this project's)"),
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    usage: 'mcp [agent]',
    summary: 'serve the agents as tools of an MCP server',
    description:
      'Serve the agents of the config, or one of them, as tools of an MCP server on stdin and stdout, until the client ends.',
    options: withSenderOption,
    load: async () => (await import('../commands/mcp.ts')).mcpServer,
  },
  {
    usage: 'agents',
    summary: 'list the agents of the config',
    load: async () => (await import('../commands/agents.ts')).agents,
  },
  {
    usage: 'tools',
    summary: 'list the tools of the config',
    load: async () => (await import('../commands/tools.ts')).tools,
  },
  {
    usage: 'doctor',
    summary: 'say what works here, and what to do about the rest',
    options: (command) =>
      command
        .option('--probe', 'ask the model of each agent for one token')
        .option('--worker', 'exit with 1 when no worker polls the task queue'),
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    usage: 'check',
    summary: 'say which runs this config would not continue',
    description:
      'Before a deploy: replay open and ended runs with the workflow code of this version, and compare what open runs need with the config. Changes nothing. Exit code 1: a run would not continue.',
    options: (command) =>
      command
        .option('--limit <n>', 'open workflows at most', wholeNumber, 1000)
        .option('--ended <n>', 'workflows that are over, the latest', wholeNumber, 50),
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    usage: 'deploy',
    summary: 'versions of the workers: which one gets new runs',
    description: 'Versions of the workers: which one gets new runs, and which one may be stopped.',
    commands: [
      {
        usage: 'status',
        summary: 'list versions, their open runs and workers',
        load: async () => (await import('../commands/deploy.ts')).deployStatus,
      },
      {
        usage: 'promote <version>',
        summary: 'give all new runs a version',
        description: 'Give all new runs a version; `none`: workers without a version.',
        load: async () => (await import('../commands/deploy.ts')).deployPromote,
      },
      {
        usage: 'ramp <version>',
        summary: 'give a share of the new runs a version',
        description: 'Give a share of the new runs a version; 0 ends that.',
        options: (command) => command.argument('<percent>', 'from 0 to 100', percent),
        load: async () => (await import('../commands/deploy.ts')).deployRamp,
      },
      {
        usage: 'drain <version>',
        summary: 'wait until a version has no open runs',
        description:
          'Wait until a version has no open runs, so that its workers may be stopped. Exit code 4, with --no-wait: runs are left.',
        options: (command) =>
          command
            .option('--no-wait', 'say which runs are left, and end')
            .option('--move', 'move the runs that are left to the current version'),
        load: async () => (await import('../commands/deploy.ts')).deployDrain,
      },
    ],
  },
  {
    usage: 'completion',
    summary: 'print what a shell reads to complete commands on TAB',
    description: 'Print what a shell reads to complete commands on TAB: commands, options, agents, runs.',
    readsEnvFile: false,
    options: (command) => command.addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish'])),
    load: async () => (await import('../commands/completion.ts')).completion,
  },
  // The completion scripts call it on TAB. It reads the `.env` of known projects only.
  {
    usage: 'complete [words...]',
    hasCommonOptions: false,
    readsEnvFile: false,
    options: (command) =>
      command.option('--line <line>').option('--breaks <characters>').option('--refresh <file>'),
    load: async ({ parent }) => {
      const { complete } = await import('../completion/complete.ts');
      return (io: Io, words: string[], options: CompleteOptions) =>
        complete(io, parent as Command, words, options);
    },
  },
];
