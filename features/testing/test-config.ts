import { InvalidInput } from '../../agent/values/refusal.ts';
import { modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest, RetryPolicy } from '../../agent/definition/manifest.ts';
import { checkConfig } from '../../config/check.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { type LoadedConfig, createLoadedConfig } from '../../config/load/loaded-config.ts';
import { type Model, ModelError, defineModel } from '../../adapters/models/model.ts';
import type { RecordedRequest, Script } from '../../adapters/models/scripted/script.ts';
import { isScripted, scripted } from '../../adapters/models/scripted/scripted.ts';
import type { Tool } from '../../adapters/tools/tool.ts';

export interface TestConfigOptions {
  /** Models of the agents, by agent: a script, or a model, in place of the config's. */
  models?: { [agent: string]: Script | Model } | undefined;
  /**
   * Functions in place of tools, by tool: `{ send_email: () => 'sent' }`; also for tools that another worker runs.
   * Names, schemas and all else stay.
   */
  tools?: { [tool: string]: Tool['run'] } | undefined;
  /** Lets agents without a scripted model ask the config's model. Default false. */
  allowRealModels?: boolean | undefined;
}

/** A config as tests run it. Throws ConfigError and InvalidInput. */
export function testConfig(config: ConfigDefinition, options: TestConfigOptions = {}) {
  const loaded = createLoadedConfig(checkConfig(config, 'testAgents'));
  const { allowRealModels = false } = options;
  const given = givenModels(loaded, options.models);
  const models = new Map(loaded.models);
  for (const agent of loaded.agents.keys()) models.set(adapterOf(agent), given.get(agent) ?? refusing(agent));

  /** The agent with the models that a test may ask: all its own models, or the one in place of them. */
  function withModels(manifest: AgentManifest): AgentManifest {
    const own = modelsOf(manifest).map(({ adapter }) => loaded.models.get(adapter));
    const isAllowed = allowRealModels || own.every((model) => model !== undefined && isScripted(model));
    if (isAllowed && !given.has(manifest.name)) return manifest;
    return { ...manifest, adapter: adapterOf(manifest.name), fallbacks: undefined };
  }

  return {
    loaded: {
      ...loaded,
      models,
      queues: new Map(),
      tools: withStandIns(loaded.tools, options.tools),
      cache: false, // a reply from a store would not be the script's
      manifest(...asked: Parameters<LoadedConfig['manifest']>) {
        const manifest = loaded.manifest(...asked);
        return manifest && withModels(asTested(manifest, options.tools));
      },
    },
    /** Throws InvalidInput. */
    requests(agent: string): readonly RecordedRequest[] {
      const manifest = loaded.manifest(agent, {});
      if (manifest === undefined) throw unknown('agent', agent, loaded.agents);
      const model = models.get(withModels(manifest).adapter);
      if (model !== undefined && isScripted(model)) return model.requests;
      throw new InvalidInput(
        `What agent "${agent}" asked is not known: its model is not a scripted one. Give it one: testAgents(config, { models: { ${JSON.stringify(agent)}: ['…'] } }).`,
      );
    },
  };
}

/** No config's model is called so. */
function adapterOf(agent: string): string {
  return `test:${agent}`;
}

function givenModels(
  { agents }: LoadedConfig,
  models: TestConfigOptions['models'] = {},
): ReadonlyMap<string, Model> {
  return new Map(
    Object.entries(models).map(([agent, model]) => {
      if (!agents.has(agent)) throw unknown('agent', agent, agents);
      const isModel = typeof model === 'object' && 'call' in model;
      return [agent, isModel ? model : scripted(model)];
    }),
  );
}

/** Replaces a model that a test did not mean to ask. */
function refusing(agent: string): Model {
  return defineModel({
    call: () =>
      Promise.reject(
        new ModelError(
          'ModelBadRequest',
          `Agent "${agent}" would ask a real model, which a test does not. Give it a script: testAgents(config, { models: { ${JSON.stringify(agent)}: ['…'] } }); or say allowRealModels: true.`,
          { retryable: false },
        ),
      ),
  });
}

function withStandIns(
  tools: LoadedConfig['tools'],
  standIns: TestConfigOptions['tools'] = {},
): LoadedConfig['tools'] {
  const all = new Map(tools);
  for (const [name, run] of Object.entries(standIns)) {
    const tool = tools.get(name);
    if (tool === undefined) throw unknown('tool', name, tools);
    if (tool.remote !== undefined && tool.remote.type !== 'activity') {
      const instead = {
        agent: 'give that agent its own script in `models`',
        human: 'answer it in `onWaiting`',
      }[tool.remote.type];
      throw new InvalidInput(
        `testAgents: the tool "${name}" has no function that another one could stand in for: ${instead}.`,
      );
    }
    all.set(name, { ...tool, run, remote: undefined });
  }
  return all;
}

function unknown(what: 'agent' | 'tool', name: string, known: ReadonlyMap<string, unknown>): InvalidInput {
  return new InvalidInput(
    `testAgents: the config has no ${what} "${name}". It has: ${[...known.keys()].join(', ') || 'none'}.`,
  );
}

/** Attempts as in the config, without waits between them; all calls but those of other workers are made on the test's own task queue. */
function asTested(manifest: AgentManifest, standIns: TestConfigOptions['tools'] = {}): AgentManifest {
  const atOnce = (retry: RetryPolicy): RetryPolicy => ({ ...retry, initialMs: 1, maximumMs: 1 });
  const here = { external: undefined, taskQueue: undefined, heartbeatTimeoutMs: undefined };
  return {
    ...manifest,
    modelQueue: undefined,
    modelRetry: atOnce(manifest.modelRetry),
    tools: manifest.tools.map((tool) => ({
      ...tool,
      ...(tool.external === true && !Object.hasOwn(standIns, tool.name) ? {} : here),
      retry: atOnce(tool.retry),
    })),
  };
}
