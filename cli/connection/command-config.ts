import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { AgentKind } from '../../agent/definition/kind.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { overridesOf } from '../../agent/start/overrides.ts';
import { withoutPlace } from '../../agent/text/template.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import { findConfig, loadConfig } from '../../config/load/load.ts';
import { type LoadedConfig, modelProblem } from '../../config/load/loaded-config.ts';
import { configNamed, programNamed } from '../../local/embedded/config-queues.ts';
import { projectFolder } from '../../local/server/project-folder.ts';
import { rememberNames } from '../completion/names-cache.ts';
import type { CommonOptions } from '../options/options.ts';
import { shellWord } from '../../client/connect/cli-name.ts';
import { type Io, UsageError, say } from '../shell/io.ts';
import type { CommandConfig } from './task-queue.ts';

/** Throws ConfigError. */
export async function loadCommandConfig(
  file: string | undefined,
  onImport?: (file: string) => void,
): Promise<CommandConfig> {
  const loaded = await loadConfig(file, onImport);
  const own = findConfig();
  const path = file === undefined ? own : resolve(file);
  if (path !== undefined) rememberNames(path, loaded);
  return { loaded, file: relative(projectFolder(), path ?? ''), isOwn: path === own };
}

/** The config for a queue: `--config`, or the config in the queue's name. Throws ConfigError. */
export async function loadConfigOf(taskQueue: string, file: string | undefined): Promise<CommandConfig> {
  const name = configNamed(taskQueue);
  const program = programNamed(taskQueue);
  if (file === undefined && program !== undefined) {
    throw new UsageError(
      `This was started by the program ${program}, which has the config for it and is not running (task queue ${taskQueue}). Start it again, and it continues; or name a config that has its agent with --config.`,
    );
  }
  if (file !== undefined || name === undefined) return loadCommandConfig(file);
  const path = resolve(projectFolder(), name);
  if (existsSync(path)) return loadCommandConfig(path);
  throw new UsageError(
    `This was started with --config ${shellWord(name)} (task queue ${taskQueue}), and there is no such file any more. Name the config that has its agent with --config.`,
  );
}

/**
 * The config of a command that starts runs. The workers of a server that the user named may have a config that is not
 * here: then undefined. Throws ConfigError.
 */
export async function configFor(
  { config }: CommonOptions,
  serverIsNamed: boolean,
): Promise<CommandConfig | undefined> {
  if (config === undefined && serverIsNamed && findConfig() === undefined) return undefined;
  return loadCommandConfig(config);
}

/** The kinds of the config, if there is a config. Without one the built-in kinds do. */
export async function kindsFrom(io: Io, { config }: CommonOptions): Promise<AgentKind[] | undefined> {
  if (config === undefined && findConfig() === undefined) return undefined;
  try {
    return [...(await loadConfig(config)).kinds.values()];
  } catch (error) {
    if (config !== undefined) throw error;
    say(io, `note: the config could not be loaded, so only built-in kinds are known.`);
    return undefined;
  }
}

export function checkAgent({ agents }: LoadedConfig, name: string): void {
  if (agents.has(name)) return;
  throw new UsageError(`There is no agent "${name}". The config has: ${[...agents.keys()].join(', ')}.`);
}

/** Options that a question is checked with, as they are typed. */
interface QuestionOptions {
  session?: string;
  var?: { [name: string]: string };
  context?: RunContext | undefined;
}

/** Throws for an agent that is not in the config, and for a session, values or a context that do not fit it. */
export function checkQuestion(
  loaded: LoadedConfig,
  agent: string,
  { session, var: variables, context }: QuestionOptions,
): void {
  checkAgent(loaded, agent);
  loaded.checkContext(agent, context);
  if (session !== undefined) checkTakesHistory(loaded, agent);
  if (variables !== undefined) checkVariables(loaded, agent, variables);
}

/** Throws when the agent's model cannot be asked from here: no key, for instance. */
export function checkModel(loaded: LoadedConfig, name: string, model: string | undefined): void {
  const manifest = loaded.manifest(name, { model });
  const problem = manifest && modelProblem(manifest, loaded.models);
  if (problem !== undefined) throw new UsageError(`Agent "${name}": ${problem}`);
}

/** Throws for overrides that do not fit the agent: a budget of money without a price, for instance. */
export function checkOverrides(loaded: LoadedConfig, name: string, options: StartOptions): void {
  loaded.manifest(name, overridesOf(options));
}

/** Throws for a value that no prompt text of the agent has a place for. */
function checkVariables(loaded: LoadedConfig, name: string, variables: { [name: string]: string }): void {
  const { prompt = {} } = loaded.manifest(name, {}) ?? {};
  const unused = withoutPlace(Object.keys(variables), prompt);
  if (unused.length === 0) return;
  throw new UsageError(
    `No prompt text of agent "${name}" has a place for ${unused.map((variable) => `{${variable}}`).join(', ')}. Its texts: ${Object.keys(prompt).join(', ')}.`,
  );
}

/** The kind of an agent whose prompt has no place for earlier messages, and the kinds whose prompts have one. */
export function withoutHistory(
  { manifest, kinds }: LoadedConfig,
  agent: string,
): { kind: string; others: string } | undefined {
  const kind = manifest(agent, {})?.kind ?? '';
  if (kinds.get(kind)?.chatHistory !== false) return undefined;
  const others = [...kinds.values()].filter(({ chatHistory }) => chatHistory);
  return { kind, others: others.map(({ name }) => name).join(', ') };
}

/** Throws for an agent whose prompt has no place for earlier messages. */
function checkTakesHistory(loaded: LoadedConfig, agent: string): void {
  const { kind, others } = withoutHistory(loaded, agent) ?? {};
  if (kind === undefined) return;
  throw new UsageError(
    `Agent "${agent}" is of kind ${kind}, whose prompt has no place for earlier messages: it takes no --session. Kinds that have one: ${others}.`,
  );
}

/** Says which agents cannot run here. `makes`: says whether model calls on a task queue are made here; undefined: that of the run. */
export function checkAgents(
  io: Io,
  loaded: LoadedConfig,
  makes: (modelQueue: string | undefined) => boolean = () => true,
): void {
  for (const name of loaded.agents.keys()) {
    if (!makes(loaded.manifest(name, {})?.modelQueue)) continue;
    const problem = loaded.validate(name);
    if (problem !== undefined) say(io, `warning: agent "${name}": ${problem}`);
  }
}
