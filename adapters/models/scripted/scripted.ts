import type { Model } from '../model.ts';
import { openai } from '../openai/openai.ts';
import type { RecordedRequest, Script } from './script.ts';
import { type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts';

export interface ScriptedModel extends Model {
  /** Requests of this process so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
}

const scriptedModels = new WeakSet<Model>();

/** True if {@link scripted} made the model: it sends no request out of this process. */
export function isScripted(model: Model): model is ScriptedModel {
  return scriptedModels.has(model);
}

/**
 * A model for configs, tests and demos that says what a script says. It is asked as a real one is: by the `openai`
 * adapter over HTTP, from a loopback server that this process starts with the first call and that never keeps it alive.
 * An array's entries belong to the agent's iterations: a call that is retried, or made again after a crash by another
 * worker, gets the same reply.
 */
export function scripted(script: Script, options: ScriptedServerOptions = {}): ScriptedModel {
  let ready: Promise<Model> | undefined;
  let requests: readonly RecordedRequest[] = [];

  async function start(): Promise<Model> {
    const server = await startScriptedServer(script, options);
    server.unref();
    requests = server.requests;
    return openai({
      baseURL: server.url,
      apiKey: 'the-scripted-model-needs-no-key',
      headers: ({ step }) => ({ 'x-reloop-step': step }),
    });
  }

  const model: ScriptedModel = {
    label: 'scripted',
    get requests() {
      return requests;
    },
    call: async (request, context) => (await (ready ??= start())).call(request, context),
  };
  scriptedModels.add(model);
  return model;
}
