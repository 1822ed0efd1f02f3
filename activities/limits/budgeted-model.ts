import { randomUUID } from 'node:crypto';
import { ApplicationFailure, log } from '@temporalio/activity';
import { BUDGET_USED_UP, type BudgetUse } from '../../agent/budgets/budget-rule.ts';
import { budgetCost, budgetTokens } from '../../agent/definition/budget.ts';
import type { AgentModel } from '../../agent/definition/agent-models.ts';
import { EMPTY_DIGEST, extendDigest } from '../../agent/values/digest.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { CHARS_PER_TOKEN, usageOf } from '../../agent/definition/price.ts';
import { promptLength } from '../../agent/transcript/request.ts';
import { isUnbilled } from '../../adapters/models/failure-types.ts';
import type { Model, ModelReply, ModelRequest } from '../../adapters/models/model.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { BudgetKeeper, LedgerClient } from './budget-keeper.ts';
import { heldBack } from './held-back.ts';
import { noAnswerWords } from './no-answer-words.ts';

/** Bounds of the time until a call that waits for a budget comes back. */
const BACK_LEAST_MS = 5_000;
const BACK_MOST_MS = 20_000;
const nothing: BudgetUse = { calls: 0, totalTokens: 0, cost: 0 };

/** The same model, whose requests are counted in the budgets of the config: their estimate before, their usage after. */
export function budgetedModel(
  model: Model,
  keeper: BudgetKeeper | undefined,
  asked: AgentModel,
  manifest: Pick<AgentManifest, 'name' | 'tenant'>,
  attempt: Attempt,
): Model {
  if (keeper === undefined) return model;
  const { client, info } = attempt.context;
  const ledgersNow = () => keeper.ledgersOf(client, info.taskQueue, manifest);
  if (ledgersNow().length === 0) return model;
  const learnt = `${manifest.name} ${asked.model}`;
  return {
    async call(request, context) {
      const estimate = estimateOf(keeper.estimates.of(learnt, request), request, asked);
      const reserved = await reserveAll(ledgersNow(), estimate, attempt);
      let hasBegun = false;
      const noticed = (show: (piece: string) => void) => (piece: string) => {
        hasBegun ||= piece !== '';
        show(piece);
      };
      const { onText, onReasoning = () => undefined } = context;
      const watched = { ...context, onText: noticed(onText), onReasoning: noticed(onReasoning) };
      try {
        const reply = await model.call(request, watched);
        const tokens = reply.usage?.totalTokens ?? 0;
        if (tokens > 0) keeper.estimates.learn(learnt, request, tokens);
        await reserved.settle(spentOn(request, reply, asked));
        return withWarnings(reply, reserved.warnings);
      } catch (error) {
        await reserved.settle(!hasBegun && isUnbilled(error) ? nothing : null);
        throw error;
      }
    },
  };
}

interface Reserved {
  warnings: string[];
  settle(spent: BudgetUse | null): Promise<void>;
}

/** Reserves in all budgets, or in none. Throws a failure that holds the call back, or fails it. */
async function reserveAll(
  ledgers: readonly LedgerClient[],
  estimate: BudgetUse,
  { context: { info } }: Attempt,
): Promise<Reserved> {
  const { runId = '', workflowId: id = '' } = info.workflowExecution ?? {};
  const attempt = info.currentAttemptScheduledTimestampMs;
  const request = { id: randomUUID(), call: `${runId}/${info.activityId}`, attempt, estimate };
  /** A run keeps its id when it is retried, rewound and continued as new. The summaries of a session are of no run. */
  const run = info.activityType === 'callModel' ? extendDigest(EMPTY_DIGEST, id) : undefined;
  /** Ledgers that have counted the estimate, and one that may have. */
  const reserved: LedgerClient[] = [];
  const warnings: string[] = [];
  const settle = async (spent: BudgetUse | null) => {
    const answers = await Promise.all(reserved.map((ledger) => ledger.settle({ id: request.id, spent })));
    for (const { warning } of answers) warn(warning);
  };
  const warn = (warning: string | undefined) => {
    if (warning === undefined) return;
    log.warn(warning);
    warnings.push(warning);
  };
  for (const ledger of ledgers) {
    const { account, workflowId } = ledger;
    const answer = await ledger
      .reserve({ ...request, ...(account.rule.runs === undefined ? {} : { run }), ...account })
      .catch((error: unknown) => ({ problem: noAnswerWords(workflowId, error) }));
    if ('problem' in answer) {
      reserved.push(ledger);
      // A ledger without an answer is not waited for once more.
      void settle(nothing);
      throw waits(`the budget "${account.rule.name}". ${answer.problem}`);
    }
    const { refused, isTooLarge, warning } = answer;
    if (refused !== undefined) {
      await settle(nothing);
      const { onEnd } = account.rule;
      if (onEnd === 'wait' && isTooLarge !== true) throw waits(refused);
      throw failed(refused, onEnd !== 'stop');
    }
    reserved.push(ledger);
    warn(warning);
  }
  return { warnings, settle };
}

function waits(text: string): ApplicationFailure {
  const backMs = BACK_LEAST_MS + Math.round(Math.random() * (BACK_MOST_MS - BACK_LEAST_MS));
  return heldBack(`waits for ${text}`, backMs);
}

/** `mayPass`: a later attempt may succeed, so the agent's `onModelFailure` applies. One that may not stops the run. */
function failed(text: string, mayPass: boolean): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: BUDGET_USED_UP,
    message: `The model was not asked: ${text}`,
    nonRetryable: true,
  });
  return Object.assign(failure, { mayPass });
}

function estimateOf(totalTokens: number, { prompt }: ModelRequest, { price }: AgentModel): BudgetUse {
  const promptTokens = Math.min(totalTokens, Math.ceil(promptLength(prompt) / CHARS_PER_TOKEN));
  const tokens = { promptTokens, completionTokens: totalTokens - promptTokens, totalTokens };
  return { calls: 1, totalTokens, cost: budgetCost(usageOf(tokens, 1, price)) };
}

function spentOn({ prompt }: ModelRequest, reply: ModelReply, { price }: AgentModel): BudgetUse {
  const { text, reasoning = '', toolCalls } = reply;
  const calls = toolCalls.map((call) => call.name + call.arguments).join('');
  const lengths = { prompt: promptLength(prompt), reply: [text, calls, reasoning].join('').length };
  const usage = usageOf(reply.usage, 1, price, lengths);
  return { calls: 1, totalTokens: budgetTokens(usage), cost: budgetCost(usage) };
}

function withWarnings(reply: ModelReply, more: readonly string[]): ModelReply {
  if (more.length === 0) return reply;
  return { ...reply, warnings: [...(reply.warnings ?? []), ...more] };
}
