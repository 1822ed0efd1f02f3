import type { Command } from 'commander';
import type { StartOverrides } from '../../agent/definition/overrides.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import {
  type Limit,
  dollarLimit,
  jsonObject,
  limitOf,
  milliseconds,
  repeated,
  wholeLimit,
} from './options.ts';

/** Options of an agent that a run may override, as they are typed. */
export interface OverrideOptions {
  model?: string;
  maxIterations?: Limit;
  /** Milliseconds. */
  maxTime?: number;
  budgetTokens?: Limit;
  /** US dollars. */
  budgetCost?: Limit;
  context?: RunContext;
  tag?: string[];
  tenant?: string;
}

/** Help of `--tag`. */
const TAG = 'text to filter runs by; repeatable';

/** Help of `--context`. */
export const CONTEXT = "facts for the run's tools, as the config's context wants them";

export function withOverrides(command: Command): Command {
  return command
    .option('--model <name>', "in place of the agent's")
    .option('--max-iterations <n>', 'turns the agent may take; none for no limit', wholeLimit)
    .option('--max-time <duration>', 'such as 30s or 10m', milliseconds)
    .option('--budget-tokens <n>', 'tokens it may use up; none for no limit', wholeLimit)
    .option('--budget-cost <usd>', 'US dollars it may cost, such as 0.50; none for no limit', dollarLimit)
    .option('--context <json>', CONTEXT, jsonObject)
    .option('--tag <text>', TAG, repeated)
    .option('--tenant <name>', 'customer or user that the run is for');
}

export function overridesIn(options: OverrideOptions): StartOverrides {
  const { model, maxIterations, maxTime, budgetTokens, budgetCost, context, tag, tenant } = options;
  const isBudget = budgetTokens !== undefined || budgetCost !== undefined;
  return {
    model,
    maxIterations: limitOf(maxIterations),
    maxExecutionTime: maxTime,
    budget: isBudget ? { totalTokens: limitOf(budgetTokens), cost: limitOf(budgetCost) } : undefined,
    context,
    tags: tag,
    tenant,
  };
}
