import type { LoadedConfig } from '../../config/loaded-config.ts';
import { duration } from '../print/display.ts';

/** What came of asking an agent's model: how long it took, or what is wrong and what to do about it. */
export type Probed = { type: 'answered'; took: string } | { type: 'failed'; problem: string };

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
    return hadTooFewTokens(problem) ? answered() : { type: 'failed', problem };
  }
}

/** OpenAI's reasoning models answer with this error where their thoughts take more than they may: so they do answer. */
function hadTooFewTokens(problem: string): boolean {
  return /max_tokens or model output limit was reached/i.test(problem);
}
