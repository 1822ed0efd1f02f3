import { type Tool, defineTool } from '../../adapters/tools/tool.ts';
import { type LoadedConfig, createLoadedConfig } from '../../config/load/loaded-config.ts';
import { checkConfig } from '../../config/check.ts';
import { ConfigError } from '../../config/define.ts';

/** What a config file's default export goes through. Throws ConfigError. */
export function loadedConfig(config: unknown): LoadedConfig {
  return createLoadedConfig(checkConfig(config, 'the config'));
}

/** An agent as a config in JavaScript may define it: nothing has looked at the types. */
export function agent(fields: object = {}): object {
  return { name: 'a', model: 'gpt-4o-mini', ...fields };
}

/** A tool, likewise. */
export function tool(fields: object = {}): Tool {
  return defineTool({ name: 't', description: 'Does it.', run: () => 'done', ...fields });
}

/** What a config is refused with; `none` if it is not. */
export function problemOf(config: unknown): string {
  try {
    loadedConfig(config);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}
