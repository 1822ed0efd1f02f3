import type { AgentKind } from '../agent/definition/kind.ts';
import type { AgentManifest } from '../agent/definition/manifest.ts';
import { type Budget, overriddenBudget, smallerBudget } from '../agent/definition/budget.ts';
import type { RunOverrides } from '../agent/start/overrides.ts';
import { withoutPlace } from '../agent/text/template.ts';
import { type CompleteAgent, completeAgent, loopOptions, requestOptions } from './options/agent-options.ts';
import { recordedAskTimeout } from './options/ask-timeout-option.ts';
import { type AgentDefinition, ConfigError } from './define.ts';
import { milliseconds, timeout } from './options/duration.ts';
import { retryPolicy } from './options/options.ts';
import { outputSchema } from './options/output-check.ts';
import { toolManifest } from './options/tool-options.ts';

/** The models with their prices; a run's own choice comes first. */
export type ModelRef = Pick<AgentManifest, 'adapter' | 'model' | 'price' | 'fallbacks'>;

/**
 * The definition as it is recorded at the start of a run, all defaults filled in; `parentBudget` is the rest of the
 * parent's budget, for a sub-agent. Throws {@link ConfigError}.
 */
export function agentManifest(
  definition: AgentDefinition,
  kind: AgentKind,
  { adapter, model, price, fallbacks }: ModelRef,
  { model: _chosen, clientTools: _tools, budget, ...limits }: RunOverrides,
  parentBudget: Budget | undefined,
): AgentManifest {
  const agent = completeAgent(definition);
  const where = `Agent "${agent.name}"`;
  return {
    loopVersion: 1,
    name: agent.name,
    kind: kind.name,
    prompt: promptTexts(agent, kind),
    adapter,
    model,
    price,
    fallbacks,
    params: {
      ...requestOptions.parse(agent),
      requestTimeoutMs: timeout(agent.requestTimeout, `${where}: requestTimeout`),
    },
    stop: [...(agent.stop ?? kind.stop)],
    stoppedOutput: kind.stoppedOutput,
    tools: agent.tools.map(toolManifest),
    maxExecutionTimeMs:
      agent.maxExecutionTime === null
        ? null
        : milliseconds(agent.maxExecutionTime, `${where}: maxExecutionTime`, {
            orNone: ', or null for no limit',
          }),
    ...loopOptions.parse(agent),
    parser: agent.parser === undefined ? undefined : true,
    memory: agent.memory,
    output: agent.output === undefined ? undefined : outputSchema(agent.name, agent.output),
    askTimeout:
      agent.askTimeout === undefined
        ? undefined
        : recordedAskTimeout(agent.askTimeout, `${where}: askTimeout`),
    modelRetry: retryPolicy(agent.modelRetry, `${where}: modelRetry`),
    ...given(limits),
    budget: smallerBudget(overriddenBudget(agent.budget, budget), parentBudget),
  };
}

/** Drops fields that are undefined, which would overwrite others in a spread. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }; // what was filtered
}

function promptTexts({ name, prompt }: CompleteAgent, kind: AgentKind): { [name: string]: string } {
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
