/**
 * A room of features/ has the same folders as the others: its parts of each process. What a part may import is the same in each room.
 * The core knows a room by its lines in lists: the options of a config, the interceptors of a worker, the methods and exports of the client, the commands, the checks of
 * `doctor`.
 */
const roles = {
  /** Pure rules, which each process may use. */
  rules: { imports: { agent: true }, temporal: [], packages: false },
  /** The check of the config's option. */
  option: { imports: { agent: true, config: true }, temporal: [] },
  /** The feature's part of the client library. */
  client: {
    imports: { agent: true, history: true, workflows: ['messages.ts'], client: true },
    temporal: ['client', 'common', 'types:proto'],
  },
  /** The feature's part of a worker, beside its calls. */
  worker: {
    imports: { agent: true, 'local/server': ['json-file.ts', 'process-identity.ts'] },
    temporal: ['common', 'proto', 'types:worker'],
  },
  /** The commands, and the checks of `doctor`. */
  command: {
    imports: { agent: true, client: true, cli: true, 'features/render': true },
    temporal: ['client', 'common'],
  },
};

/** A room with these roles, lowest first. */
function room(...names) {
  return { imports: {}, rooms: names, roles };
}

/**
 * The layout of the sources: what each folder may import, and its rooms. `../oxlint.config.mjs` makes the lint rules of this list,
 * `../test/unit/project/house.test.ts` checks that the list is complete.
 *
 * A folder's name is its path from the root.
 *
 * - `imports`: other folders. `true`: everything; `'types'`: `import type` only; a list: these files and rooms, and types of
 *   all others; `{ only }`: these, and no types of others.
 * - `rooms`: subfolders, lowest first. A room imports only rooms before it in the list.
 * - `temporal`: packages `@temporalio/…`; `types:…` for `import type` only.
 * - `roles`: what these rooms may import, in place of `imports`.
 * - `packages`: whether other packages, and those of Node, may be imported. Default: yes.
 */
export const arrows = {
  'adapters/net': { imports: {}, rooms: [], temporal: [] },
  agent: {
    imports: {},
    rooms: [
      'text',
      'values',
      'background',
      'model-reply',
      'model-limits',
      'definition',
      'observation',
      'prompt',
      'start',
      'budgets',
      'transcript',
      'calls',
      'session',
      'limits',
      'reply',
      'rules',
      'kinds',
      'run',
      'views',
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
      'features/live': true,
      'adapters/net': true,
      'features/storage': true,
      'adapters/models': { only: ['model.ts', 'failure-types.ts'] },
      'adapters/tools': { only: ['tool.ts', 'json-input.ts'] },
    },
    rooms: ['attempt', 'hooks', 'limits', 'model', 'run', 'tool', 'turn'],
    temporal: ['activity', 'client', 'common', 'types:proto'],
  },
  'features/recovery': room('worker'),
  'features/schedules': room('rules', 'option', 'client', 'command'),
  'features/evals': room('rules', 'option', 'client', 'command'),
  history: {
    imports: {
      agent: true,
      workflows: ['messages.ts'],
      'features/encryption': ['codec.ts', 'keys.ts'],
      'features/storage': true,
    },
    rooms: ['read', 'list', 'trace', 'views'],
    temporal: ['client', 'common', 'types:proto'],
  },
  'features/live': {
    imports: { agent: true, history: ['read/payloads.ts'], 'adapters/tools': ['optional-package.ts'] },
    rooms: [],
    temporal: ['proto', 'types:client'],
  },
  'features/encryption': {
    imports: { agent: ['values'] },
    rooms: [],
    temporal: ['common', 'proto'],
  },
  'features/storage': {
    imports: { agent: ['values'] },
    rooms: [],
    temporal: ['common', 'proto'],
  },
  'adapters/models': {
    imports: { agent: ['values', 'text', 'prompt', 'model-reply', 'reply/stop.ts'], 'adapters/net': true },
    rooms: ['openai', 'vercel', 'scripted'],
    temporal: [],
  },
  'adapters/tools': {
    imports: {
      agent: ['values', 'text', 'definition/skills.ts', 'definition/tool-search.ts', 'background'],
      'adapters/net': true,
    },
    rooms: [
      'calculator',
      'foreign',
      'http',
      'memory',
      'python',
      'search',
      'mcp',
      'skills',
      'tool-search',
      'background',
    ],
    temporal: [],
  },
  config: {
    imports: {
      agent: true,
      'adapters/models': true,
      'adapters/tools': true,
      'features/encryption': ['keys.ts'],
      'features/storage': true,
      'features/live': ['brokers.ts', 'live-channel.ts'],
      'local/server': ['project-folder.ts'],
      'features/schedules': ['rules', 'option'],
      'features/evals': ['rules', 'option'],
    },
    rooms: ['options', 'load'],
    temporal: ['common'],
  },
  worker: {
    imports: {
      agent: true,
      history: true,
      'features/encryption': true,
      'features/live': ['publisher.ts'],
      'adapters/models': true,
      'adapters/tools': true,
      activities: true,
      config: true,
      workflows: ['messages.ts'],
      'local/server': ['json-file.ts', 'process-identity.ts'],
      'features/recovery': true,
    },
    rooms: ['telemetry'],
  },
  'local/server': { imports: {}, rooms: ['binary', 'keeper'] },
  client: {
    imports: {
      agent: true,
      history: true,
      'adapters/net': true,
      'features/encryption': true,
      'features/storage': true,
      'features/live': ['brokers.ts', 'live-channel.ts', 'subscription.ts'],
      workflows: ['messages.ts'],
      'local/server': ['json-file.ts', 'launcher-error.ts', 'process-identity.ts', 'project-folder.ts'],
      'features/schedules': ['rules', 'client'],
    },
    rooms: ['connect', 'export', 'read', 'backtest', 'start', 'restart', 'api'],
    temporal: ['client', 'common', 'envconfig', 'types:proto'],
  },
  'features/render': {
    imports: { agent: true, client: ['connect/cli-name.ts'] },
    rooms: ['words', 'page'],
    temporal: [],
  },
  gateway: {
    // Names that no program of a user can have. All others come from `reloop/client`.
    imports: {
      client: {
        only: [
          'index.ts',
          // Turns one error of a promise into undefined.
          'connect/errors.ts',
          // The signature of a state, with the key of RELOOP_DEFER_KEY.
          'connect/signed-state.ts',
          // The check of who decides pins the call that the client would take.
          'read/resolve-target.ts',
        ],
      },
      agent: {
        only: [
          // Small functions of JSON, texts and limits, as models and tools have them.
          'values/concurrent.ts',
          'values/digest.ts',
          'values/json-object.ts',
          'values/limits.ts',
          'values/names.ts',
          'values/values.ts',
          // Rules that the worker keeps too: the form of a token and of a sender's name, the words of a failed tool, the fields of a start.
          'calls/defer-token.ts',
          'start/sender-name.ts',
          'observation/observations.ts',
          'start/overrides.ts',
          'start/start-fields.ts',
        ],
      },
      // The page of a run, which `reloop export` writes too, and its style.
      'features/render': { only: ['page/run-page.ts', 'page/whole-page.ts'] },
      'adapters/net': { only: ['time-limit.ts'] },
    },
    rooms: [
      'access',
      'waiting',
      'http',
      'start',
      'replies',
      'mcp',
      'openai',
      'ai-sdk',
      'ag-ui',
      'a2a',
      'inbox',
      'routes',
    ],
    temporal: [],
  },
  'local/embedded': {
    imports: {
      agent: true,
      config: true,
      'features/encryption': true,
      'features/live': ['live-channel.ts'],
      worker: true,
      'local/server': true,
      client: true,
    },
    rooms: [],
    temporal: ['client', 'types:common'],
  },
  cli: {
    imports: {
      agent: true,
      history: true,
      'features/encryption': true,
      'features/storage': true,
      'features/live': ['brokers.ts', 'live-channel.ts'],
      workflows: ['messages.ts'],
      config: true,
      worker: true,
      'local/server': true,
      client: true,
      'local/embedded': true,
      'features/render': true,
      gateway: true,
      'adapters/net': true,
      'adapters/tools': ['optional-package.ts', 'build-licence.ts'],
      'features/schedules': ['command'],
      'features/evals': ['command'],
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
      'batch',
      'report',
      'chat',
      'check',
      'commands',
      'declare',
    ],
    temporal: ['client', 'common', 'envconfig', 'types:proto'],
  },
  'features/testing': {
    imports: {
      agent: true,
      config: true,
      'adapters/models': true,
      'adapters/tools': true,
      client: true,
      'local/embedded': true,
      activities: ['model/read-decision.ts'],
    },
    rooms: [],
    temporal: [],
  },
};

/** Folders that no folder of the package imports. */
export const outside = ['test', 'examples', 'bench'];
