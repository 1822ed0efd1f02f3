import type { Model, ModelCallContext } from '../model.ts';
import type { OpenAIConnection } from './call.ts';
import { keyProblem, openAICompatibleModel, setting, urlProblem } from './openai-compatible.ts';

/** The options and environment variables have the names of `AzureOpenAI` in the `openai` package. */
export interface AzureOpenAIOptions {
  /** `https://RESOURCE.openai.azure.com`. Default: AZURE_OPENAI_ENDPOINT. */
  endpoint?: string;
  /** `2024-10-21`. Default: OPENAI_API_VERSION. */
  apiVersion?: string;
  /** Name of the deployment. Default: the model's name in the agent. */
  deployment?: string;
  /** Default: AZURE_OPENAI_API_KEY. */
  apiKey?: string;
  /** Returns a Microsoft Entra token for each call, in place of a key. */
  azureADTokenProvider?(): Promise<string>;
  /** The same as for `openai()`. */
  reasoning?: 'return' | 'drop';
  headers?(context: ModelCallContext): { [name: string]: string };
}

const NAMES = { key: 'AZURE_OPENAI_API_KEY', url: 'the deployment and AZURE_OPENAI_ENDPOINT' };

const CORRECT_URL = 'correct AZURE_OPENAI_ENDPOINT, for instance https://my-resource.openai.azure.com';

/**
 * A model deployed on Azure OpenAI, asked at `ENDPOINT/openai/deployments/DEPLOYMENT/chat/completions?api-version=…` with the
 * header `api-key` (learn.microsoft.com/azure/ai-services/openai/reference). Endpoints that end in `/openai/v1` need neither:
 * they are asked through `openai({ baseURL })`.
 */
export function azureOpenAI(options: AzureOpenAIOptions = {}): Model {
  const { deployment: modelName, azureADTokenProvider } = options;
  const model = openAICompatibleModel((name) => connection(options, name), options, azureADTokenProvider);
  return {
    ...model,
    provider: 'azure.ai.openai',
    modelName,
    nameHint: "azureOpenAI({ deployment: 'gpt-4o' })",
  };
}

/** The connection, or a sentence with its problem. Never repeats the key. */
function connection(options: AzureOpenAIOptions, model = ''): OpenAIConnection | string {
  const endpoint = setting(options.endpoint, 'AZURE_OPENAI_ENDPOINT');
  const apiVersion = setting(options.apiVersion, 'OPENAI_API_VERSION');
  const apiKey = setting(options.apiKey, 'AZURE_OPENAI_API_KEY');
  if (endpoint === undefined) {
    return 'No Azure resource to ask: set AZURE_OPENAI_ENDPOINT, for instance https://my-resource.openai.azure.com.';
  }
  const misplaced = urlProblem(endpoint, 'The Azure endpoint', CORRECT_URL);
  if (misplaced !== undefined) return misplaced;
  if (apiVersion === undefined) {
    return "Azure OpenAI wants a version of its API: set OPENAI_API_VERSION, or azureOpenAI({ apiVersion: '2024-10-21' }).";
  }
  if (apiKey === undefined && options.azureADTokenProvider === undefined) {
    return 'No key for Azure OpenAI: set AZURE_OPENAI_API_KEY, or give azureOpenAI an azureADTokenProvider.';
  }
  const problem = keyProblem(apiKey, NAMES);
  if (problem !== undefined) return problem;
  const deployment = encodeURIComponent(options.deployment ?? model);
  return {
    baseURL: `${endpoint.replace(/\/+$/, '')}/openai/deployments/${deployment}`,
    apiKey: apiKey ?? '',
    keyHeader: options.azureADTokenProvider === undefined ? 'api-key' : undefined,
    query: { 'api-version': apiVersion },
    names: NAMES,
  };
}
