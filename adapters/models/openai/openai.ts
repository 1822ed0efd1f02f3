import type { Model, ModelCallContext } from '../model.ts';
import type { OpenAIConnection } from './call.ts';
import type { SettingNames } from './errors.ts';
import { keyProblem, openAICompatibleModel, setting, urlProblem } from './openai-compatible.ts';

export interface OpenAIOptions {
  /** Any server that speaks the OpenAI protocol. Default: OPENAI_BASE_URL, or OpenAI. */
  baseURL?: string;
  /**
   * Default: OPENAI_API_KEY. May be left out where a base URL is given: many local servers want none. One that is there but
   * empty is refused, so that no server is sent the key of another.
   */
  apiKey?: string | undefined;
  /**
   * Show the model's reasoning before tool calls to it again ('return', the default), as DeepSeek and OpenRouter
   * require, or not ('drop'). A server that refuses reasoning is not sent it again.
   */
  reasoning?: 'return' | 'drop';
  /**
   * true: marks the system message and the last one for the provider's cache of prompts (`cache_control`), as gateways to Claude want it.
   * OpenAI and most others keep prompts without marks. Default false.
   */
  cacheControl?: boolean;
  /** Headers of one request, for gateways that want their own. */
  headers?(context: ModelCallContext): { [name: string]: string };
}

const OPENAI_URL = 'https://api.openai.com/v1';
const NO_KEY = 'no-key-needed';
const NAMES = { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' };

/**
 * A model with the OpenAI protocol: chat completions and legacy completions, by the agent's `api`. `model` is the name
 * that the server is asked for; it may be left out in the config's `models`, whose key is the name then. The
 * environment is read at each call, so a config can be loaded without a key. The client's own retries are off: Temporal
 * retries. Throws a TypeError for an empty name.
 */
export function openai(model: string, options?: OpenAIOptions): Model;
export function openai(options?: OpenAIOptions): Model;
export function openai(first: string | OpenAIOptions = {}, second: OpenAIOptions = {}): Model {
  const [modelName, options] = typeof first === 'string' ? [first.trim(), second] : [undefined, first];
  if (modelName === '') throw new TypeError("openai: the model's name is empty.");
  const nameHint = "openai('gpt-4o-mini', { … })";
  return {
    ...openAICompatibleModel(() => connection(options), options),
    async serverWindow(name, context) {
      const server = connection(options);
      if (typeof server === 'string') return undefined;
      const { serverWindow } = await import('./server-window.ts');
      return serverWindow(server, options.headers?.(context) ?? {}, name, context.signal);
    },
    provider: 'openai',
    modelName,
    nameHint,
  };
}

/** The connection, or a sentence with its problem. Never repeats the key. */
function connection(options: OpenAIOptions): OpenAIConnection | string {
  const baseURL = setting(options.baseURL, 'OPENAI_BASE_URL');
  if ('apiKey' in options && (options.apiKey ?? '').trim() === '') {
    return 'The apiKey that the config gives is empty: set the variable it is read from, or leave apiKey out for OPENAI_API_KEY.';
  }
  const apiKey = setting(options.apiKey, 'OPENAI_API_KEY');
  if (apiKey === undefined && baseURL === undefined) {
    return 'No model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks the OpenAI protocol.';
  }
  const names = namesOf(options);
  const problem =
    (baseURL && urlProblem(baseURL, "The model's base URL", correctUrl(names))) || keyProblem(apiKey, NAMES);
  if (problem) return problem;
  return { baseURL: baseURL ?? OPENAI_URL, apiKey: apiKey ?? NO_KEY, names };
}

function correctUrl({ url }: SettingNames): string {
  return `correct ${url}, for instance http://127.0.0.1:8000/v1`;
}

/** Names of the settings to check: of the environment, or of the config if they are set there. */
function namesOf({ apiKey, baseURL }: OpenAIOptions): SettingNames {
  return {
    key: apiKey === undefined ? NAMES.key : 'the apiKey that the config gives',
    url: baseURL === undefined ? NAMES.url : 'the baseURL that the config gives',
  };
}
