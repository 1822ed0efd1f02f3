import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import type { RequestParams } from '../../agent/definition/manifest.ts';
import type { Model, ModelCallContext, ModelReply, ModelRequest } from '../../adapters/models/model.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { openai } from '../../adapters/models/openai/openai.ts';
import type { Script, ScriptedServer, ScriptedServerOptions } from '../../features/testing/index.ts';
import { startScriptedServer } from '../../features/testing/index.ts';
import { listen } from './listen.ts';

/** A model request as the `callModel` activity makes it. */
export function modelRequest(
  params: Partial<RequestParams> = {},
  request: Partial<Omit<ModelRequest, 'params'>> = {},
): ModelRequest {
  return {
    model: 'test-model',
    prompt: { type: 'text', text: 'Say hello.' },
    stop: [],
    params: { api: 'chat', stream: false, requestTimeoutMs: 10_000, ...params },
    ...request,
  };
}

/** A call context that keeps the streamed pieces. */
export function callContext(
  context: Partial<ModelCallContext> = {},
): ModelCallContext & { pieces: string[] } {
  const pieces: string[] = [];
  return {
    pieces,
    signal: new AbortController().signal,
    onText: (piece) => void (piece === '' || pieces.push(piece)),
    step: '1',
    runId: 'test-run',
    ...context,
  };
}

/** The real client against a scripted server that ends with the test. */
export async function scriptedOpenAI(
  script: Script,
  options?: ScriptedServerOptions,
): Promise<{ server: ScriptedServer; model: Model; ask(request?: ModelRequest): Promise<ModelReply> }> {
  const server = await startScriptedServer(script, options);
  onTestFinished(() => server.close());
  const model = openai({ baseURL: server.url, apiKey: 'sk-secret-key' });
  return { server, model, ask: (request = modelRequest()) => model.call(request, callContext()) };
}

/** A bare HTTP server, for answers that the scripted one cannot give. Ends with the test; returns its base URL. */
export async function bareServer(listener: RequestListener): Promise<string> {
  return `http://${await listen(createServer(listener))}/v1`;
}

/** The ModelError that a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ModelError) return error;
  throw error;
}
