import type { Model, ModelCallContext } from '../model.ts';
import { ModelError } from '../model.ts';
import type { OpenAIConnection } from './call.ts';

export interface OpenAIOptions {
  /** Any server that speaks the OpenAI protocol. Default: OPENAI_BASE_URL, else OpenAI itself. */
  baseURL?: string;
  /** Default: OPENAI_API_KEY. May be left out where a base URL is given: many local servers want none. */
  apiKey?: string;
  /** Headers of one request, for gateways that want their own. */
  headers?(context: ModelCallContext): { [name: string]: string };
}

const OPENAI_URL = 'https://api.openai.com/v1';
const NO_KEY = 'no-key-needed';

/**
 * A model behind the OpenAI protocol: chat completions and legacy completions, by the agent's `api`. The environment is
 * read at each call, so a config can be loaded without a key. The client's own retries are off: Temporal retries.
 */
export function openai(options: OpenAIOptions = {}): Model {
  const refused = new Map<string, string[]>();
  return {
    validate: () => {
      const settings = connection(options);
      return typeof settings === 'string' ? settings : undefined;
    },
    async call(request, context) {
      const settings = connection(options);
      if (typeof settings === 'string') {
        throw new ModelError('ModelAuthenticationError', settings, { retryable: false });
      }
      // Imported late: the client takes longer to load than all the rest, and most commands ask no model.
      const { callOpenAI } = await import('./call.ts');
      const headers = options.headers?.(context) ?? {};
      return callOpenAI(request, context, { ...settings, headers, refused });
    },
  };
}

/** The connection, or a sentence that says what is wrong with it. Never repeats the key. */
function connection(options: OpenAIOptions): OpenAIConnection | string {
  const baseURL = setting(options.baseURL, 'OPENAI_BASE_URL');
  const apiKey = setting(options.apiKey, 'OPENAI_API_KEY');
  if (apiKey === undefined && baseURL === undefined) {
    return 'No model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks the OpenAI protocol.';
  }
  if (baseURL !== undefined && !/^https?:$/.test(protocolOf(baseURL))) {
    return `The model's base URL "${baseURL}" is not an http(s) address: correct OPENAI_BASE_URL, for instance http://127.0.0.1:8000/v1.`;
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    return 'The API key holds a space, a line break or a character outside ASCII: copy OPENAI_API_KEY again.';
  }
  return { baseURL: baseURL ?? OPENAI_URL, apiKey: apiKey ?? NO_KEY };
}

/** An option, else its environment variable; empty text counts as not set. */
function setting(option: string | undefined, variable: string): string | undefined {
  const value = (option ?? process.env[variable])?.trim();
  return value === '' ? undefined : value;
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
