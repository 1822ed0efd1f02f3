import type { Model, ModelCallContext } from '../model.ts';
import type { OpenAIConnection } from './call.ts';
import type { SettingNames } from './errors.ts';
import { modelBehind } from './model-behind.ts';
import { keyProblem, protocolOf, setting } from './settings.ts';

export interface OpenAIOptions {
  /** Any server that speaks the OpenAI protocol. Default: OPENAI_BASE_URL, else OpenAI itself. */
  baseURL?: string;
  /**
   * Default: OPENAI_API_KEY. May be left out where a base URL is given: many local servers want none. One that is there but
   * empty is refused, so that no server is sent the key of another.
   */
  apiKey?: string | undefined;
  /**
   * What the model thought before a reply that calls tools is shown to it again ('return', the default), as DeepSeek and
   * OpenRouter want it, or not ('drop'). A server that refuses to see it is not shown it again.
   */
  reasoning?: 'return' | 'drop';
  /** Headers of one request, for gateways that want their own. */
  headers?(context: ModelCallContext): { [name: string]: string };
}

const OPENAI_URL = 'https://api.openai.com/v1';
const NO_KEY = 'no-key-needed';
const NAMES = { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' };

/**
 * A model behind the OpenAI protocol: chat completions and legacy completions, by the agent's `api`. The environment is
 * read at each call, so a config can be loaded without a key. The client's own retries are off: Temporal retries.
 */
export function openai(options: OpenAIOptions = {}): Model {
  return modelBehind(() => connection(options), options);
}

/** The connection, or a sentence that says what is wrong with it. Never repeats the key. */
function connection(options: OpenAIOptions): OpenAIConnection | string {
  const baseURL = setting(options.baseURL, 'OPENAI_BASE_URL');
  if ('apiKey' in options && (options.apiKey ?? '').trim() === '') {
    return 'The apiKey that the config gives is empty: set the variable it is read from, or leave apiKey out for OPENAI_API_KEY.';
  }
  const apiKey = setting(options.apiKey, 'OPENAI_API_KEY');
  if (apiKey === undefined && baseURL === undefined) {
    return 'No model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks the OpenAI protocol.';
  }
  if (baseURL !== undefined && !/^https?:$/.test(protocolOf(baseURL))) {
    return `The model's base URL "${baseURL}" is not an http(s) address: correct OPENAI_BASE_URL, for instance http://127.0.0.1:8000/v1.`;
  }
  const problem = keyProblem(apiKey, NAMES);
  if (problem !== undefined) return problem;
  return { baseURL: baseURL ?? OPENAI_URL, apiKey: apiKey ?? NO_KEY, names: namesOf(options) };
}

/** Where a person has to look: the environment, or the config where that has the word. */
function namesOf({ apiKey, baseURL }: OpenAIOptions): SettingNames {
  return {
    key: apiKey === undefined ? NAMES.key : 'the apiKey that the config gives',
    url: baseURL === undefined ? NAMES.url : 'the baseURL that the config gives',
  };
}
