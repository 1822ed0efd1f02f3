import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { RunStep } from '../../agent/run/events.ts';
import { type Json, type RunStatus, type StopReason, noUsage } from '../../agent/values/vocabulary.ts';
import { reportFrom } from './report.ts';
import type { ExportedModelCall, RunExport } from '../../client/export/run-export.ts';
import type { AgentDefinition, ConfigDefinition } from '../../config/define.ts';
import { recordedRun } from '../../features/testing/index.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { loadedConfig } from './config.ts';
import { act, answer } from './scripts.ts';

/** Exported runs by hand, and the agent that they are taken through. */

export const neverRun = () => {
  throw new Error('a recorded run runs no tool');
};
export const search = defineTool({ name: 'search', description: 'looks things up', run: neverRun });
export const direct = defineTool({ name: 'direct', description: 'd', run: neverRun });

export function configOf(fields: Partial<AgentDefinition> = {}): ConfigDefinition {
  return {
    agents: [
      { name: 'assistant', kind: 'zero-shot', model: 'any-model', tools: [search, direct], ...fields },
    ],
  }; // of parts of one
}

export const params = { api: 'chat' as const, stream: false, requestTimeoutMs: 1 };

type Decision = ModelTurn['decision'];

export function acts(tool: string, toolInput: Json): Decision {
  return { type: 'act', actions: [{ tool, toolInput }] };
}

export function replied(
  call: string,
  text: string,
  decision: Decision,
  more: Partial<ModelTurn> = {},
): ExportedModelCall {
  const usage = { ...noUsage, modelCalls: 1 };
  const turn: ModelTurn = { digest: '', text, decision, finishReason: 'stop', usage, request: '', ...more };
  return { at: 0, call, attempts: 1, durationMs: 1, turn };
}

export function observed(call: string, tool: string, toolInput: Json, observation: Json): RunStep {
  return { call, action: { tool, toolInput, log: '' }, observation, attempts: 1, durationMs: 1 };
}

export function exported(
  modelCalls: ExportedModelCall[],
  intermediateSteps: RunStep[],
  ended: { status?: RunStatus; stopReason?: StopReason; output?: Json } = {},
  more: Partial<RunExport> = {},
): RunExport {
  const { status = 'completed', stopReason = 'final_answer', output = 'done' } = ended;
  return {
    reloop: 'run',
    version: 1,
    run: { ...reportFrom('run-1', 'r'), agent: 'assistant', status, stopReason, output, intermediateSteps },
    agents: [
      {
        scope: 0,
        manifest: loadedConfig(configOf()).manifest('assistant', {}) ?? null,
        question: { input: 'what?', chatHistory: [], variables: {} },
      },
    ],
    modelCalls,
    decisions: [],
    events: [],
    subAgents: [],
    ...more,
  };
}

/** Two calls and an answer. */
export const whole = exported(
  [
    replied('1', act('search', 'x'), acts('search', 'x')),
    replied('2', act('search', 'y'), acts('search', 'y')),
    replied('3', answer('done'), { type: 'finish', output: 'done' }),
  ],
  [observed('1.1', 'search', 'x', 'found x'), observed('2.1', 'search', 'y', 'found y')],
);

export async function differencesOf(record: RunExport, fields: Partial<AgentDefinition> = {}) {
  const { differences } = await recordedRun(record, { config: configOf(fields), onDifference: 'return' });
  return differences;
}
