import { type Model, type ModelCallContext, ModelError } from '../model.ts';
import type { OpenAIConnection, callOpenAI } from './call.ts';

export interface AdapterOptions {
  reasoning?: 'return' | 'drop' | undefined;
  headers?(context: ModelCallContext): { [name: string]: string };
}

/** Imported late: the client takes longer to load than all the rest, and most commands ask no model. */
let loaded: Promise<{ callOpenAI: typeof callOpenAI }> | undefined;

/**
 * A model behind the OpenAI protocol. `connect` is asked at each call, so that a config can be loaded without a key; a text
 * says what is missing.
 */
export function modelBehind(
  connect: (model?: string) => OpenAIConnection | string,
  options: AdapterOptions,
  token?: () => Promise<string>,
): Model {
  const refused = new Map<string, string[]>();
  return {
    validate: () => {
      const settings = connect();
      return typeof settings === 'string' ? settings : undefined;
    },
    async call(request, context) {
      const settings = connect(request.model);
      if (typeof settings === 'string') {
        throw new ModelError('ModelAuthenticationError', settings, { retryable: false });
      }
      const apiKey = token === undefined ? settings.apiKey : await token();
      const adapter = await (loaded ??= import('./call.ts'));
      const headers = options.headers?.(context) ?? {};
      const returnsThoughts = options.reasoning !== 'drop';
      return adapter.callOpenAI(request, context, { ...settings, apiKey, headers, returnsThoughts, refused });
    },
  };
}
