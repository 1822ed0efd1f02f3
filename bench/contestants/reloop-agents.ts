import { type ToolOptions, createWorker, defineAgent, defineConfig, defineTool, openai } from 'reloop';
import { MODEL, TOOL, observation, pause, toolInput } from '../task.ts';
import { serve } from './serve.ts';

export interface AgentOptions {
  tool?: Partial<Omit<ToolOptions, 'name' | 'description' | 'approval'>>;
  trimIntermediateSteps?: number;
  telemetry?: boolean;
}

/** Runs the agent `bench`, as a user would define it, with the package as it was built. */
export async function serveAgent({
  tool = {},
  telemetry = false,
  ...options
}: AgentOptions = {}): Promise<void> {
  await serve(({ connection, taskQueue, observationBytes, modelUrl, toolMs, heartbeats }) => {
    const observed = observation(observationBytes);
    const look = () => (toolMs === 0 ? observed : pause(toolMs).then(() => observed));
    const agent = defineAgent({
      name: 'bench',
      kind: 'tool-calling',
      model: MODEL,
      tools: [defineTool({ ...TOOL, input: toolInput, run: look, ...tool })],
      maxIterations: null,
      ...options,
    });
    const models = { [MODEL]: openai({ baseURL: modelUrl, apiKey: 'none' }) };
    return createWorker(defineConfig({ agents: [agent], models, taskQueue, telemetry, heartbeats }), {
      connection,
    });
  });
}
