import type { AgentManifest, ToolManifest } from '../../agent/manifest.ts';
import { zeroShot } from '../../agent/kinds/zero-shot.ts';

/** A zero-shot agent as it is recorded at the start of a run. */
export function sampleManifest(fields: Partial<AgentManifest> = {}): AgentManifest {
  return {
    loopVersion: 2,
    name: 'assistant',
    kind: zeroShot.name,
    prompt: { ...zeroShot.prompt },
    adapter: 'openai',
    model: 'test-model',
    params: { api: 'chat', stream: false, requestTimeoutMs: 10_000 },
    stop: [...zeroShot.stop],
    stoppedOutput: zeroShot.stoppedOutput,
    tools: [sampleTool('Search', 'Looks things up.'), sampleTool('Calculator', 'Computes.')],
    maxIterations: 15,
    maxExecutionTimeMs: null,
    handleParsingErrors: true,
    trimIntermediateSteps: -1,
    modelRetry: { maxAttempts: 5, initialMs: 500, backoff: 2, maximumMs: 30_000 },
    ...fields,
  };
}

export function sampleTool(
  name: string,
  description: string,
  fields: Partial<ToolManifest> = {},
): ToolManifest {
  return {
    name,
    description,
    inputSchema: null,
    timeoutMs: 300_000,
    retry: { maxAttempts: 3, initialMs: 1_000, backoff: 2, maximumMs: 30_000 },
    effects: 'idempotent',
    onFailure: 'ask',
    returnDirect: false,
    maxOutputChars: 100_000,
    ...fields,
  };
}
