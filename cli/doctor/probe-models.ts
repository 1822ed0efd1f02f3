import { type AgentModel, modelWords, modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { withTimeLimit } from '../../net/time-limit.ts';
import { duration } from '../../render/words/amounts.ts';

/** Result of a request to an agent's model: the duration, or the problem with advice. */
export type Probed =
  { type: 'answered'; took: string } | { type: 'failed'; refused?: boolean; problem: string };

/** Longest wait for one token: a local server may have to load the model first. */
const PROBE_MS = 60_000;

/** Asks each agent's models for one token, each model once, side by side. */
export async function probeModels(
  loaded: LoadedConfig,
  agents: readonly string[],
): Promise<Map<string, Probed>> {
  const asked = new Map<string, Promise<Probed>>();
  const answers = agents.map(async (agent): Promise<[string, Probed]> => {
    const manifest = loaded.manifest(agent, {});
    if (manifest === undefined) return [agent, NO_MODEL];
    const { api, extra } = manifest.params;
    const models = modelsOf(manifest).map(async (one): Promise<Probed> => {
      const key = JSON.stringify([one.adapter, one.model, api, extra]);
      const answer = asked.get(key) ?? probe(loaded, manifest, one);
      asked.set(key, answer);
      return answer;
    });
    return [agent, together(modelsOf(manifest), await Promise.all(models))];
  });
  return new Map(await Promise.all(answers));
}

const NO_MODEL: Probed = { type: 'failed', problem: 'The config has no such model.' };

/** Answers of an agent's models as one: the problem of the first one that did not answer, with the model's name where there are several. */
function together(models: readonly AgentModel[], answers: readonly Probed[]): Probed {
  const failed = answers.findIndex(({ type }) => type === 'failed');
  const [answer, model] = [answers[Math.max(0, failed)] ?? NO_MODEL, models[failed]];
  if (answer.type === 'answered' || model === undefined || models.length === 1) return answer;
  return { ...answer, problem: `${modelWords(model)}: ${answer.problem}` };
}

async function probe(loaded: LoadedConfig, manifest: AgentManifest, asked: AgentModel): Promise<Probed> {
  const model = loaded.models.get(asked.adapter);
  if (model === undefined) return NO_MODEL;
  const startedAt = performance.now();
  const answered = (): Probed => ({ type: 'answered', took: duration(performance.now() - startedAt) });
  let limit: AbortSignal | undefined;
  const params = { ...manifest.params, maxTokens: 1, requestTimeoutMs: PROBE_MS };
  const prompt = { type: 'text', text: 'Hi' } as const;
  const request = { model: asked.model, prompt, stop: [], params };
  try {
    await withTimeLimit(PROBE_MS, undefined, (signal) => {
      limit = signal;
      return model.call(request, { signal, onText: () => undefined, step: 'probe', runId: 'probe' });
    });
    return answered();
  } catch (error) {
    if (limit?.aborted === true)
      return { type: 'failed', problem: `It said nothing for ${duration(PROBE_MS)}.` };
    const problem = error instanceof Error ? error.message : String(error);
    const refused = REFUSALS.includes(String(fieldOf(error, 'type')));
    // OpenAI's reasoning models answer with this error where their thoughts take more than they may: so they do answer.
    const hadTooFewTokens = /max_tokens or model output limit was reached/i.test(problem);
    return hadTooFewTokens ? answered() : { type: 'failed', refused, problem };
  }
}

const REFUSALS = [
  'ModelAuthenticationError',
  'ModelPermissionDenied',
  'ModelNotFound',
  'ModelBadRequest',
  'ModelRateLimited',
];
