import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import type { RunOverrides } from '../agent/calls.ts';
import type { AgentKind } from '../agent/kinds/kind.ts';
import type { AgentManifest, RequestParams, ToolManifest } from '../agent/manifest.ts';
import { withoutPlace } from '../agent/template.ts';
import type { Tool } from '../tools/tool.ts';
import type { ModelRef } from './loaded-config.ts';
import { type AgentDefinition, ConfigError } from './define.ts';
import { agentDefaults, toolDefaults } from './defaults.ts';
import { outputSchema } from './output-check.ts';

/** The definition as it is recorded at the start of a run, all defaults filled in. Throws {@link ConfigError}. */
export function agentManifest(
  agent: AgentDefinition,
  kind: AgentKind,
  { adapter, model }: ModelRef,
  overrides: RunOverrides,
): AgentManifest {
  const {
    handleParsingErrors = agentDefaults.handleParsingErrors,
    trimIntermediateSteps = agentDefaults.trimIntermediateSteps,
    maxIterations = agentDefaults.maxIterations,
    maxExecutionTime = agentDefaults.maxExecutionTime,
  } = agent;
  const where = `Agent "${agent.name}"`;
  return {
    loopVersion: 3,
    name: agent.name,
    kind: kind.name,
    prompt: promptTexts(agent, kind),
    adapter,
    model,
    params: requestParams(agent),
    stop: [...(agent.stop ?? kind.stop)],
    stoppedOutput: kind.stoppedOutput,
    tools: (agent.tools ?? []).map(toolManifest),
    maxIterations: overrides.maxIterations === undefined ? maxIterations : overrides.maxIterations,
    maxExecutionTimeMs:
      overrides.maxExecutionTimeMs === undefined
        ? maxExecutionTime === null
          ? null
          : milliseconds(maxExecutionTime, `${where}: maxExecutionTime`)
        : overrides.maxExecutionTimeMs,
    handleParsingErrors,
    trimIntermediateSteps,
    ...loopOptions(agent),
    modelRetry: agentDefaults.modelRetry,
  };
}

/** What most agents do not use is not recorded. */
function loopOptions({
  earlyStopping,
  repeatLimit,
  output,
  parser,
  memory,
  name,
}: AgentDefinition): Partial<AgentManifest> {
  return {
    ...(earlyStopping === undefined ? {} : { earlyStopping }),
    ...(repeatLimit === undefined ? {} : { repeatLimit }),
    ...(parser === undefined ? {} : { parser: true }),
    ...(memory === undefined ? {} : { memory: typeof memory === 'string' ? { kind: memory } : memory }),
    ...(output === undefined ? {} : { output: outputSchema(name, output) }),
  };
}

/** Milliseconds of a number or a duration string. Throws {@link ConfigError} naming `what`. */
function milliseconds(value: number | string, what: string): number {
  try {
    const result = msToNumber(value as Duration); // checked by the call itself
    if (Number.isFinite(result) && result >= 0) return result;
  } catch {
    // Reported below, like a number that makes no sense.
  }
  throw new ConfigError(
    `${what}: "${value}" is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.`,
  );
}

function timeout(value: number | string, what: string): number {
  const ms = milliseconds(value, what);
  if (ms > 0) return ms;
  throw new ConfigError(`${what}: 0 leaves no time at all. Leave it out for the default.`);
}

function promptTexts({ name, prompt = {} }: AgentDefinition, kind: AgentKind): { [name: string]: string } {
  const unknown = Object.keys(prompt).filter((key) => !Object.hasOwn(kind.prompt, key));
  if (unknown.length > 0) {
    throw new ConfigError(
      `Agent "${name}": the kind ${kind.name} has no prompt text ${unknown.join(', ')}. It has: ${Object.keys(kind.prompt).join(', ')}.`,
    );
  }
  const texts = { ...kind.prompt, ...prompt };
  const lost = withoutPlace(['input', 'agent_scratchpad'], texts)
    .filter((part) => withoutPlace([part], kind.prompt).length === 0)
    .map((part) => `{${part}}`);
  if (lost.length > 0) {
    throw new ConfigError(
      `Agent "${name}": with this prompt the model never sees ${lost.join(' and ')}. Add it to ${Object.keys(prompt).join(' or ')}.`,
    );
  }
  return texts;
}

function requestParams(agent: AgentDefinition): RequestParams {
  const { temperature, maxTokens, topP, frequencyPenalty, presencePenalty, logitBias, extra } = agent;
  const given = { temperature, maxTokens, topP, frequencyPenalty, presencePenalty, logitBias, extra };
  return {
    api: agent.api ?? agentDefaults.api,
    stream: agent.stream ?? agentDefaults.stream,
    requestTimeoutMs: timeout(
      agent.requestTimeout ?? agentDefaults.requestTimeout,
      `Agent "${agent.name}": requestTimeout`,
    ),
    ...(Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as Partial<RequestParams>),
  };
}

/** A tool as it is recorded and as `reloop tools` shows it. Throws {@link ConfigError}. */
export function toolManifest(tool: Tool): ToolManifest {
  const { name, description, inputSchema } = tool;
  const where = `Tool "${name}"`;
  const retry = { ...toolDefaults.retry, ...tool.retry };
  return {
    name,
    description,
    inputSchema,
    timeoutMs: timeout(tool.timeout ?? toolDefaults.timeout, `${where}: timeout`),
    retry: {
      maxAttempts: retry.maxAttempts,
      initialMs: milliseconds(retry.initialInterval, `${where}: retry.initialInterval`),
      backoff: retry.backoffCoefficient,
      maximumMs: milliseconds(retry.maximumInterval, `${where}: retry.maximumInterval`),
    },
    effects: tool.effects ?? toolDefaults.effects,
    onFailure: tool.onFailure ?? toolDefaults.onFailure,
    returnDirect: tool.returnDirect ?? toolDefaults.returnDirect,
    maxOutputChars: tool.maxOutputChars ?? toolDefaults.maxOutputChars,
    ...remoteTool(tool),
  };
}

function remoteTool({ name, remote }: Tool): Partial<ToolManifest> {
  switch (remote?.type) {
    case undefined:
      return {};
    case 'agent':
      return { agent: remote.agent };
    case 'activity': {
      const { taskQueue, heartbeatTimeout } = remote;
      return {
        external: true,
        ...(taskQueue === undefined ? {} : { taskQueue }),
        ...(heartbeatTimeout === undefined
          ? {}
          : { heartbeatTimeoutMs: timeout(heartbeatTimeout, `Tool "${name}": heartbeatTimeout`) }),
      };
    }
  }
}
