import { shownUrl } from '../../../agent/text/shown-url.ts';
import { setValue } from '../../../agent/values/set-value.ts';
import { type Model, type ModelCallContext, ModelError } from '../model.ts';
import type { KnownRepairs } from '../repairs.ts';
import type { OpenAIConnection, callOpenAI } from './call.ts';
import type { SettingNames } from './errors.ts';

export interface AdapterOptions {
  reasoning?: 'return' | 'drop' | undefined;
  cacheControl?: boolean | undefined;
  headers?(context: ModelCallContext): { [name: string]: string };
}

/** Imported late: the client takes longer to load than all the rest, and most commands ask no model. */
let loaded: Promise<{ callOpenAI: typeof callOpenAI }> | undefined;

/**
 * A model with the OpenAI protocol. `connect` is asked at each call, so that a config can be loaded without a key; a
 * text names the missing setting.
 */
export function openAICompatibleModel(
  connect: (model?: string) => OpenAIConnection | string,
  options: AdapterOptions,
  token?: () => Promise<string>,
): Model {
  const unsupported = new Map<string, string[]>();
  const repairs: KnownRepairs = new Map();
  return {
    validate: () => {
      const settings = connect();
      return typeof settings === 'string' ? settings : undefined;
    },
    serverUrl(model) {
      const settings = connect(model);
      return typeof settings === 'string' ? undefined : settings.baseURL;
    },
    async call(request, context) {
      const settings = connect(request.model);
      if (typeof settings === 'string') {
        throw new ModelError('ModelAuthenticationError', settings, { retryable: false });
      }
      const apiKey = token === undefined ? settings.apiKey : await token();
      const adapter = await (loaded ??= import('./call.ts'));
      const headers = options.headers?.(context) ?? {};
      const returnsReasoning = options.reasoning !== 'drop';
      const cacheControl = options.cacheControl === true;
      return adapter.callOpenAI(request, context, {
        ...settings,
        apiKey,
        headers,
        returnsReasoning,
        cacheControl,
        unsupported,
        repairs,
      });
    },
  };
}

/** An option, or its environment variable; empty text counts as not set. */
export function setting(option: string | undefined, variable: string): string | undefined {
  return setValue(option ?? process.env[variable]);
}

/** A header takes no other characters. Never repeats the key. */
export function keyProblem(apiKey: string | undefined, { key }: SettingNames): string | undefined {
  if (apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey)) return undefined;
  return `The API key holds a space, a line break or a character outside ASCII: copy ${key} again.`;
}

/**
 * Problem of a URL as the start of each request's address; undefined if there is none. `what` is the URL's name in a sentence,
 * `advice` says where to correct the URL. Never repeats a secret.
 */
export function urlProblem(url: string, what: string, advice: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/u.test(parsed.protocol)) {
    const shown = /[@?#]/u.test(url) ? '' : ` "${url}"`;
    return `${what}${shown} is not an http(s) address: ${advice}.`;
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return `${what} ${shownUrl(url)} holds a user name or a password, which would not be sent: ${advice}. Give a key as apiKey, and anything else as headers.`;
  }
  if (!/[?#]/u.test(url)) return undefined;
  return `${what} ${shownUrl(url)} holds a query or a fragment, but paths are put at its end: ${advice}. Give a key as apiKey or as headers.`;
}
