import { type AgentModel, modelWords, modelsOf } from '../../agent/definition/agent-models.ts';
import type { ModelPrompt, ToolSpec } from '../../agent/definition/kind.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { duration } from '../../features/render/words/amounts.ts';

/**
 * Result of a request to an agent's model: the duration, and the context window in tokens if the server reports it; or the problem
 * with advice.
 */
export type Probed =
  | { type: 'answered'; took: string; window?: number | undefined }
  | { type: 'failed'; refused?: boolean; problem: string };

/** Longest wait for one token: a local server may have to load the model first. */
const PROBE_MS = 60_000;
/** Longest wait for the server's window. */
const WINDOW_MS = 3000;

/** Asks each agent's models for one token, each model once for the same tools, side by side. */
export async function probeModels(
  loaded: LoadedConfig,
  agents: readonly string[],
): Promise<Map<string, Probed>> {
  const asked = new Map<string, Promise<Probed>>();
  const answers = agents.map(async (agent): Promise<[string, Probed]> => {
    const manifest = loaded.manifest(agent, {});
    if (manifest === undefined) return [agent, NO_MODEL];
    const { api, extra } = manifest.params;
    const tools = toolsOf(loaded, manifest);
    const models = modelsOf(manifest).map(async (one): Promise<Probed> => {
      const key = JSON.stringify([one.adapter, one.model, api, extra, tools]);
      const answer = asked.get(key) ?? probe(loaded, manifest, one, tools);
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
  if (answer.type === 'answered') return { ...answer, window: smallestWindow(answers) };
  if (model === undefined || models.length === 1) return answer;
  return { ...answer, problem: `${modelWords(model)}: ${answer.problem}` };
}

function smallestWindow(answers: readonly Probed[]): number | undefined {
  const windows = answers.flatMap((answer) => (answer.type === 'answered' ? (answer.window ?? []) : []));
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** The tools that a run's first request names: not every model takes some. */
function toolsOf(loaded: LoadedConfig, manifest: AgentManifest): ToolSpec[] {
  const about = { input: HELLO, chatHistory: [], variables: {}, steps: [], closing: false };
  try {
    const prompt = loaded.kinds.get(manifest.kind)?.render({ manifest, ...about });
    return prompt?.type === 'messages' ? (prompt.tools ?? []) : [];
  } catch {
    return []; // a kind of the user's own may want the variables of a real run
  }
}

const HELLO = 'Hi';

async function probe(
  loaded: LoadedConfig,
  manifest: AgentManifest,
  asked: AgentModel,
  tools: ToolSpec[],
): Promise<Probed> {
  const model = loaded.models.get(asked.adapter);
  if (model === undefined) return NO_MODEL;
  const startedAt = performance.now();
  const context = { onText: () => undefined, step: 'probe', runId: 'probe' };
  const answered = async (): Promise<Probed> => {
    const took = duration(performance.now() - startedAt);
    // Asked after the answer: Ollama reports the window of a loaded model.
    const window = await withTimeLimit(WINDOW_MS, undefined, async (signal) =>
      model.serverWindow?.(asked.model, { ...context, signal }),
    ).catch(() => undefined);
    return { type: 'answered', took, window };
  };
  let limit: AbortSignal | undefined;
  const params = { ...manifest.params, maxTokens: 1, requestTimeoutMs: PROBE_MS };
  const messages = [{ role: 'user', content: HELLO } as const];
  const prompt: ModelPrompt =
    tools.length === 0 ? { type: 'text', text: HELLO } : { type: 'messages', messages, tools };
  const request = { model: asked.model, prompt, stop: [], params };
  try {
    await withTimeLimit(PROBE_MS, undefined, (signal) => {
      limit = signal;
      return model.call(request, { ...context, signal });
    });
  } catch (error) {
    if (limit?.aborted === true)
      return { type: 'failed', problem: `It said nothing for ${duration(PROBE_MS)}.` };
    const problem = error instanceof Error ? error.message : String(error);
    const refused = REFUSALS.includes(String(fieldOf(error, 'type')));
    // OpenAI's reasoning models answer with this error where their thoughts take more than they may: so they do answer.
    const hadTooFewTokens = /max_tokens or model output limit was reached/i.test(problem);
    if (!hadTooFewTokens) return { type: 'failed', refused, problem };
  }
  return answered();
}

const REFUSALS = [
  'ModelAuthenticationError',
  'ModelPermissionDenied',
  'ModelNotFound',
  'ModelBadRequest',
  'ModelRateLimited',
];
