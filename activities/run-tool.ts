import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ToolCallMeta, ToolResult } from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import { usageOf } from '../agent/price.ts';
import { boundedText } from '../agent/values.ts';
import { type Json, type Usage, addUsage, noUsage } from '../agent/vocabulary.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { type Attempt, effortOf, runAttempt } from './attempt.ts';
import { modelOf } from './ask-model.ts';
import { checkedCheckpoint } from './checkpoint.ts';
import { type Deferral, createDeferral } from './deferral.ts';
import type { Dependencies } from './dependencies.ts';
import { earlierCalls } from './earlier-calls.ts';
import { classifyError } from './errors.ts';
import type { Observations } from './observations.ts';
import { type OnceGuard, onceGuard, unguarded } from './once.ts';
import { reconcileCall } from './reconcile.ts';
import { idempotencyKey, runTool, scopeOf, tellModel } from './tool-call.ts';
import { toolMeta } from './tool-meta.ts';
import { inToolScope } from './tool-scope.ts';
import type { Transcripts } from './transcripts.ts';
import { refuseAfterDeaths } from './worker-deaths.ts';

/** The activity behind one tool: its name is the tool's, its argument the tool's input. */
export function createToolActivity(
  tool: Tool,
  dependencies: Dependencies,
  transcripts: Transcripts,
  observations: Observations,
) {
  return async (input: Json): Promise<ToolResult> => {
    const meta = requireMeta(tool);
    const result = await runAttempt(
      () => ({ ...meta, classify: classifyError, endsItself: meta.once }),
      async (attempt) => {
        const counter = countUsage(attempt);
        const key = idempotencyKey(meta, tool.name, input);
        const guard = meta.once === true ? onceGuard(attempt, tool.name, meta.retry) : unguarded;
        const deferral = createDeferral(attempt.context.info, key);
        const own = { key, defer: deferral.defer, commit: guard.commit };
        const context = toolContext(tool, own, meta, attempt, (prompt) =>
          complete(prompt, meta, attempt, dependencies, transcripts, counter.add),
        );
        await refuseAfterDeaths(attempt, meta.call);
        const { maxOutputChars } = meta;
        const told = await inToolScope(scopeOf(tool, meta, attempt.context), () =>
          meta.reconcile === true
            ? reconcileCall(tool, input, maxOutputChars, context)
            : guard.run(() => tellModel(maxOutputChars, () => runTool(tool, input, context))),
        );
        const ended = deferral.resultOf(told);
        const usage = counter.sum().modelCalls === 0 ? {} : { usage: counter.sum() };
        return { ...ended, ...usage, ...effortOf(attempt) };
      },
    );
    // Only now: an attempt that was given up may still end some time, and its output is nobody's.
    observations.remember(Context.current().info, result.output);
    return result;
  };
}

function toolContext(
  tool: Tool,
  { key, defer, commit }: { key: string } & Pick<Deferral, 'defer'> & Pick<OnceGuard, 'commit'>,
  meta: ToolCallMeta,
  { context, heartbeat, signal }: Attempt,
  ask: (prompt: string) => Promise<string>,
): ToolContext {
  const { info } = context;
  const said = { tool: tool.name, call: meta.call };
  const stored = heartbeat.record.checkpoint;
  const lastCheckpoint = stored === undefined ? meta.checkpoint : stored; // null is a checkpoint too
  if (lastCheckpoint !== undefined) heartbeat.set({ checkpoint: lastCheckpoint });
  return {
    signal,
    progress: (text) => heartbeat.set({ progress: boundedText(text, limits.progressChars) }),
    checkpoint: async (value) => heartbeat.store({ checkpoint: checkedCheckpoint(tool.name, value) }),
    lastCheckpoint,
    idempotencyKey: key,
    earlierCalls: () => earlierCalls(context, tool.name, meta.scope),
    complete: ask,
    defer,
    commit,
    attempt: info.attempt,
    callId: meta.call,
    runId: meta.root,
    log: {
      info: (text) => void context.log.info(boundedText(text, limits.logChars), said),
      warn: (text) => void context.log.warn(boundedText(text, limits.logChars), said),
    },
  };
}

/** The agent's own model, asked with one text; failures are the tool's, and so are their retries. */
async function complete(
  prompt: string,
  meta: ToolCallMeta,
  { context, signal }: Attempt,
  dependencies: Dependencies,
  transcripts: Transcripts,
  add: (usage: Usage) => void,
): Promise<string> {
  const manifest = await transcripts.manifest(context, meta.scope);
  const { model, params, price } = manifest;
  const request = { model, prompt: { type: 'text', text: prompt } as const, stop: [], params };
  const asked = { signal, onText: () => undefined, step: meta.call, runId: meta.root };
  const reply = await modelOf(dependencies, manifest).call(request, asked);
  add(usageOf(reply.usage, 1, price, { prompt: prompt.length, reply: reply.text.length }));
  return reply.text;
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
