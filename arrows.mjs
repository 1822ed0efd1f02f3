/**
 * The layout of the sources: what each folder may import, and its rooms. `oxlint.config.mjs` makes the lint rules of this list,
 * `test/unit/house.test.ts` checks that the list is complete.
 *
 * - `imports`: other folders. `true`: everything; `'types'`: `import type` only; a list: these files and rooms, and types of
 *   all others; `{ only }`: the same without the types.
 * - `rooms`: subfolders, lowest first. A room imports only rooms before it in the list.
 * - `temporal`: packages `@temporalio/…`; `types:…` for `import type` only.
 * - `packages`: whether other packages, and those of Node, may be imported. Default: yes.
 */
export const arrows = {
  agent: {
    imports: {},
    rooms: [
      'text',
      'values',
      'model-limits',
      'definition',
      'observation',
      'start',
      'schedule',
      'transcript',
      'calls',
      'session',
      'limits',
      'reply',
      'rules',
      'kinds',
      'run',
      'live-text',
      'webhooks',
      'backtest',
    ],
    temporal: [],
    packages: false,
  },
  workflows: {
    imports: { agent: true, activities: 'types' },
    rooms: ['temporal', 'operator', 'web-ui', 'run', 'call', 'loop', 'session'],
    temporal: ['workflow', 'types:common'],
    packages: false,
  },
  activities: {
    imports: {
      agent: true,
      history: true,
      live: true,
      models: { only: ['model.ts', 'failure-types.ts'] },
      tools: { only: ['tool.ts'] },
    },
    rooms: ['attempt', 'limits', 'model', 'run', 'tool', 'turn'],
    temporal: ['activity', 'client', 'common', 'types:proto'],
  },
  history: {
    imports: { agent: true, workflows: ['messages.ts'], encryption: ['codec.ts', 'keys.ts'] },
    rooms: ['read', 'list', 'trace', 'views'],
    temporal: ['client', 'common', 'types:proto'],
  },
  live: {
    imports: { agent: true, history: ['read/payloads.ts'], tools: ['optional-package.ts'] },
    rooms: [],
    temporal: ['proto', 'types:client'],
  },
  encryption: {
    imports: { agent: ['values'] },
    rooms: [],
    temporal: ['common', 'proto'],
  },
  models: {
    imports: { agent: ['values', 'text', 'reply/stop.ts'] },
    rooms: ['openai', 'vercel', 'scripted'],
    temporal: [],
  },
  tools: {
    imports: { agent: ['values', 'text'] },
    rooms: ['calculator', 'foreign', 'http', 'python', 'search', 'mcp'],
    temporal: [],
  },
  config: {
    imports: {
      agent: true,
      models: true,
      tools: true,
      encryption: ['keys.ts'],
      live: ['brokers.ts', 'live-channel.ts'],
      server: ['project-folder.ts'],
    },
    rooms: ['options', 'load'],
    temporal: ['common'],
  },
  worker: {
    imports: {
      agent: true,
      history: true,
      encryption: true,
      live: ['publisher.ts'],
      models: true,
      tools: true,
      activities: true,
      config: true,
      workflows: ['messages.ts'],
      server: ['json-file.ts', 'process-identity.ts'],
    },
    rooms: ['recovery', 'telemetry'],
  },
  server: { imports: {}, rooms: ['binary', 'keeper'] },
  client: {
    imports: {
      agent: true,
      history: true,
      encryption: true,
      live: ['brokers.ts', 'live-channel.ts', 'subscription.ts'],
      workflows: ['messages.ts'],
      server: ['json-file.ts', 'launcher-error.ts', 'process-identity.ts', 'project-folder.ts'],
    },
    rooms: ['connect', 'export', 'read', 'backtest', 'start', 'schedules', 'restart', 'api'],
    temporal: ['client', 'common', 'envconfig', 'types:proto'],
  },
  render: {
    imports: { agent: true, client: ['connect/cli-name.ts'] },
    rooms: ['words', 'page'],
    temporal: [],
  },
  gateway: {
    imports: { agent: true, client: true, render: true },
    rooms: ['waiting', 'http', 'start', 'replies', 'mcp', 'openai', 'ai-sdk', 'ag-ui', 'inbox', 'routes'],
    temporal: [],
  },
  embedded: {
    imports: {
      agent: true,
      config: true,
      encryption: true,
      live: ['live-channel.ts'],
      worker: true,
      server: true,
      client: true,
    },
    rooms: [],
    temporal: ['client'],
  },
  cli: {
    imports: {
      agent: true,
      history: true,
      encryption: true,
      live: ['brokers.ts', 'live-channel.ts'],
      workflows: ['messages.ts'],
      config: true,
      worker: true,
      server: true,
      client: true,
      embedded: true,
      render: true,
      gateway: true,
      tools: ['optional-package.ts'],
    },
    rooms: [
      'shell',
      'completion',
      'init',
      'options',
      'print',
      'connection',
      'dev',
      'deploy',
      'doctor',
      'follow',
      'bulk',
      'chat',
      'check',
      'commands',
      'declare',
    ],
    temporal: ['client', 'common', 'envconfig', 'types:proto'],
  },
  testing: {
    imports: {
      agent: true,
      config: true,
      models: true,
      tools: true,
      client: true,
      embedded: true,
      activities: ['model/read-decision.ts'],
    },
    rooms: [],
    temporal: [],
  },
};

/** What no folder of the package imports. */
export const outside = ['test', 'examples', 'bench'];
