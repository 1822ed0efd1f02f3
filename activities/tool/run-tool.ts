import { plainParams } from '../../agent/prompt/fitting-params.ts';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ToolCallMeta, ToolResult } from '../../agent/calls/calls.ts';
import type { HookChange } from '../../agent/definition/hooks.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { usageOf } from '../../agent/definition/price.ts';
import { limits } from '../../agent/values/limits.ts';
import { type Json, type Usage, addUsage, noUsage, asText } from '../../agent/values/vocabulary.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { type Attempt, attemptScheduledAt, effortOf, runAttempt } from '../attempt/attempt.ts';
import { type CallHooks, callHooks } from '../hooks/run-hook.ts';
import { askInTurn } from '../model/ask-in-turn.ts';
import { markedAnswer } from '../../agent/observation/output.ts';
import { betweenHooks } from '../model/model-hooks.ts';
import { modelOf } from '../model/model-of.ts';
import type { Dependencies } from '../dependencies.ts';
import { classifyError } from '../attempt/errors.ts';
import type { Observations } from '../run/observations.ts';
import { reporting } from './reported-progress.ts';
import { onceGuard, unguarded } from './once.ts';
import { cancelCall, reconcileCall } from './reconcile.ts';
import { runTool, toolMeta } from './tool-call.ts';
import { inToolScope, scopeOf } from './tool-scope.ts';
import { activityContext, createDeferral } from './tool-context.ts';
import { afterTool } from './tool-hooks.ts';
import type { Transcripts } from '../run/transcripts.ts';
import { refuseAfterDeaths } from '../attempt/worker-deaths.ts';
import { ModelError, type ModelReply } from '../../adapters/models/model.ts';

/** The activity behind one tool: its name is the tool's, its argument the tool's input. */
export function createToolActivity(
  { forAgent, ...ofConfig }: Tool,
  dependencies: Dependencies,
  transcripts: Transcripts,
  observations: Observations,
) {
  return async (input: Json): Promise<ToolResult> => {
    const meta = requireMeta(ofConfig);
    const result = await runAttempt(
      () => ({ ...meta, classify: classifyError, endsItself: meta.once }),
      async (attempt) => {
        const counter = countUsage(attempt);
        const guard = meta.once === true ? onceGuard(attempt, ofConfig.name, meta.retry) : unguarded;
        const deferral = createDeferral(attempt.context.info, attempt.heartbeat, dependencies.signToken);
        const manifest = () => transcripts.manifest(attempt.context, meta);
        const made = forAgent === undefined ? ofConfig : forAgent(await manifest());
        const tool = meta.control === undefined ? made : reporting(made, meta.control, attempt.context);
        const { context: runContext = {} } = meta.context === true ? await manifest() : {};
        const isHooked = meta.hooks === true || dependencies.hooks !== undefined;
        const hooks = isHooked ? callHooks(dependencies, await manifest(), attempt, meta.retry) : undefined;
        const changes: HookChange[] = [];
        const context = activityContext(tool, input, meta, attempt, {
          async complete(prompt) {
            const agent = { manifest: await manifest(), hooks };
            const answer = await complete(prompt, meta, attempt, dependencies, agent, counter.add);
            changes.push(...answer.changes);
            return answer.text;
          },
          defer: deferral.defer,
          commit: guard.commit,
          context: runContext,
          tenant: async () => (await manifest()).tenant,
        });
        await refuseAfterDeaths(attempt, meta.call);
        // A `once` guard looks itself.
        if (meta.once !== true) await attempt.mustBeOurs();
        const { maxOutputChars } = meta;
        const afterHook = async (ended: Promise<ToolResult>) =>
          afterTool(hooks, tool.name, input, await deferral.resultOf(await ended), maxOutputChars);
        const observed = await inToolScope(scopeOf(tool, meta, attempt.context), () =>
          meta.cancel === true
            ? cancelCall(tool, input, context)
            : meta.reconcile === true
              ? afterHook(reconcileCall(tool, input, maxOutputChars, context))
              : // The hook runs within the guard: the tool may have taken effect when the hook fails or is cancelled.
                guard.run(() => afterHook(runTool(tool, input, context, maxOutputChars))),
        );
        const usage = counter.sum().modelCalls === 0 ? {} : { usage: counter.sum() };
        const allChanges = [...changes, ...(observed.changes ?? [])].slice(-limits.changes);
        return {
          ...observed,
          ...(observed.kind === 'invalid' && meta.approved === true && { approved: true as const }),
          ...usage,
          ...(allChanges.length > 0 && { changes: allChanges }),
          ...effortOf(attempt),
          attemptScheduledAt: attemptScheduledAt(attempt.context.info),
        };
      },
    );
    // Remembered when the attempt has ended: one that was given up may still end later, and its output does not count.
    observations.remember(Context.current().info, result);
    return result;
  };
}

/** The agent's own models, asked with one text; failures are the tool's, and so are their retries. */
async function complete(
  text: string,
  meta: ToolCallMeta,
  attempt: Attempt,
  dependencies: Dependencies,
  { manifest, hooks }: { manifest: AgentManifest; hooks: CallHooks | undefined },
  add: (usage: Usage) => void,
): Promise<{ text: string; changes: HookChange[] }> {
  const prompt = { type: 'text', text } as const;
  const request = { model: manifest.model, prompt, stop: [], params: plainParams(manifest.params) };
  const call = { signal: attempt.signal, onText: () => undefined, step: meta.call, runId: meta.root };
  const { reply, changes = [] } = await betweenHooks(hooks, request, async (sent) => {
    const { answer, by } = await askInTurn(manifest, attempt.signal, (one) =>
      modelOf(dependencies, manifest, one, attempt).call({ ...sent, model: one.model }, call),
    );
    add(usageOf(answer.usage, 1, by.price, { prompt: text.length, reply: answer.text.length }));
    checkText(answer, by.model);
    return { reply: answer };
  });
  const { text: output, finishReason } = reply;
  const truncated = finishReason === 'length' || finishReason === 'content_filter' ? finishReason : undefined;
  return { text: asText(markedAnswer({ output, truncated })), changes };
}

/** Throws for an empty reply: it is not an answer, and the tool is tried again. */
function checkText({ text, finishReason }: ModelReply, model: string): void {
  if (text.trim() !== '') return;
  const message = `The model ${model} answered with nothing (finish reason: ${finishReason}).`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: true });
}

/** Model calls of failed attempts count too; they are kept in the heartbeat record. */
function countUsage({ heartbeat }: Attempt): { add(usage: Usage): void; sum(): Usage } {
  return {
    add: (usage) => heartbeat.set({ usage: addUsage(heartbeat.record.usage ?? noUsage, usage) }),
    sum: () => heartbeat.record.usage ?? noUsage,
  };
}

function requireMeta(tool: Tool): ToolCallMeta {
  const meta = toolMeta();
  if (meta !== undefined) return meta;
  throw ApplicationFailure.create({
    type: 'NotAReloopCall',
    message: `${tool.name} was called without the header "reloop". Call tools through runAgent, and give the worker ReloopPlugin.`,
    nonRetryable: true,
  });
}
