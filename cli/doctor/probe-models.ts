import { fieldOf } from '../../agent/values/values.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { duration } from '../shell/display.ts';

/** Result of a request to an agent's model: the duration, or the problem with advice. */
export type Probed =
  { type: 'answered'; took: string } | { type: 'failed'; refused?: boolean; problem: string };

/** Longest wait for one token: a local server may have to load the model first. */
const PROBE_MS = 60_000;

/** Asks each agent's model for one token, each model once, side by side. */
export async function probeModels(
  loaded: LoadedConfig,
  agents: readonly string[],
): Promise<Map<string, Probed>> {
  const asked = new Map<string, Promise<Probed>>();
  const answers = agents.map(async (agent): Promise<[string, Probed]> => {
    const { adapter, model, params } = loaded.manifest(agent, {}) ?? {};
    const key = JSON.stringify([adapter, model, params?.api, params?.extra]);
    const answer = asked.get(key) ?? probe(loaded, agent);
    asked.set(key, answer);
    return [agent, await answer];
  });
  return new Map(await Promise.all(answers));
}

async function probe(loaded: LoadedConfig, agent: string): Promise<Probed> {
  const manifest = loaded.manifest(agent, {});
  const model = loaded.models.get(manifest?.adapter ?? '');
  if (manifest === undefined || model === undefined)
    return { type: 'failed', problem: 'The config has no such model.' };
  const startedAt = performance.now();
  const answered = (): Probed => ({ type: 'answered', took: duration(performance.now() - startedAt) });
  const signal = AbortSignal.timeout(PROBE_MS);
  const params = { ...manifest.params, maxTokens: 1, requestTimeoutMs: PROBE_MS };
  const prompt = { type: 'text', text: 'Hi' } as const;
  const request = { model: manifest.model, prompt, stop: [], params };
  try {
    await model.call(request, { signal, onText: () => undefined, step: 'probe', runId: 'probe' });
    return answered();
  } catch (error) {
    if (signal.aborted) return { type: 'failed', problem: `It said nothing for ${duration(PROBE_MS)}.` };
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
