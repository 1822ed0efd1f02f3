import { z } from 'zod';
import type { OpenAIConnection } from './call.ts';

/**
 * Context window in tokens that a local server keeps to for a model: vLLM's `max_model_len` of `GET /v1/models`, Ollama's
 * `context_length` of the loaded model in `GET /api/ps` (0.17.4; otherwise the `num_ctx` of its Modelfile, from `POST /api/show`), or
 * llama.cpp's `n_ctx` of `GET /props`. undefined: the server does not say, or not before
 * `signal`. Never throws.
 */
export async function serverWindow(
  { baseURL, apiKey }: OpenAIConnection,
  headers: { [name: string]: string },
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const base = baseURL.replace(/\/+$/u, '');
  const beside = base.replace(/\/v1$/u, '');
  const ask: Ask = async (url, body) => {
    try {
      const response = await fetch(url, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
        signal,
        redirect: 'error', // headers may hold keys of this server
      });
      return response.ok ? await response.json() : undefined;
    } catch {
      return undefined;
    }
  };
  const told = await Promise.all([
    ask(`${base}/models`).then((answer) => listedWindow(answer, model)),
    ollamaWindow(ask, beside, model),
    ask(`${beside}/props`).then((answer) => Props.safeParse(answer).data?.default_generation_settings.n_ctx),
  ]);
  return told.find((tokens) => tokens !== undefined);
}

/** Resolves to the JSON of a good answer, otherwise to undefined. With a body the request is a POST. */
type Ask = (url: string, body?: { [field: string]: string }) => Promise<unknown>;

const Tokens = z.int().positive();
const Listed = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: Tokens.optional().catch(undefined) })),
});
const Running = z.object({
  models: z.array(z.object({ name: z.string(), context_length: Tokens.optional().catch(undefined) })),
});
const Shown = z.object({ parameters: z.string() });
const Props = z.object({ default_generation_settings: z.object({ n_ctx: Tokens }) });

function listedWindow(answer: unknown, model: string): number | undefined {
  return Listed.safeParse(answer).data?.data.find(({ id }) => id === model)?.max_model_len;
}

async function ollamaWindow(ask: Ask, beside: string, model: string): Promise<number | undefined> {
  const running = Running.safeParse(await ask(`${beside}/api/ps`)).data?.models;
  if (running === undefined) return undefined;
  const loaded = running.find(({ name }) => name === model || name === `${model}:latest`)?.context_length;
  if (loaded !== undefined) return loaded;
  const { parameters = '' } = Shown.safeParse(await ask(`${beside}/api/show`, { model })).data ?? {};
  return Tokens.safeParse(Number(/^num_ctx\s+(\d+)\s*$/mu.exec(parameters)?.[1])).data;
}
