import { createHash, randomBytes } from 'node:crypto';
import type { Context, Info } from '@temporalio/activity';
import { CALL_CHECKPOINT, type CallCheckpoint } from '../../agent/calls/call-signals.ts';
import { type ToolCallMeta, type ToolResult, activityId, parseActivityId } from '../../agent/calls/calls.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { writeToken } from '../../agent/calls/defer-token.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, plainJson } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Tool, ToolContext } from '../../adapters/tools/tool.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { HeartbeatWriter } from '../attempt/heartbeat.ts';
import { earlierCalls } from './earlier-calls.ts';

/** The context of a call in the tool's own activity, which stores its data in the heartbeat record. */
export function activityContext(
  tool: Tool,
  input: Json,
  meta: ToolCallMeta,
  { context, heartbeat, signal }: Attempt,
  own: Pick<ToolContext, 'complete' | 'defer' | 'commit' | 'context' | 'tenant'>,
): ToolContext {
  const stored = heartbeat.record.checkpoint;
  const lastCheckpoint = stored === undefined ? meta.checkpoint : stored; // null is a checkpoint too
  if (lastCheckpoint !== undefined) heartbeat.set({ checkpoint: lastCheckpoint });
  return {
    ...identity(tool, input, meta, context),
    ...own,
    signal,
    progress: (text) => heartbeat.set({ progress: boundedText(text, limits.progressChars) }),
    async checkpoint(value) {
      const checkpoint = checkedCheckpoint(tool.name, value, meta);
      const isEvent = tool.cancel !== undefined && meta.cancel !== true;
      const reported = isEvent && orAborted(tellCheckpoint(context, checkpoint), signal);
      await Promise.all([heartbeat.store({ checkpoint }), reported]);
    },
    lastCheckpoint,
    earlierCalls: () => earlierCalls(context, tool.name, meta.scope),
    attempt: context.info.attempt,
  };
}

/** A heartbeat is lost with a call that is cancelled while no worker has it. */
async function tellCheckpoint({ client, info }: Context, checkpoint: Json): Promise<void> {
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const sent: CallCheckpoint = { activityId: info.activityId, checkpoint };
  await client.workflow.getHandle(workflowId, runId).signal<[CallCheckpoint]>(CALL_CHECKPOINT, sent);
}

/** The context of an inline call. It has no heartbeat, so `miss` ends a call that needs something stored or read. */
export function inlineContext(
  tool: Tool,
  input: Json,
  meta: ToolCallMeta,
  { context, signal }: Pick<Attempt, 'context' | 'signal'>,
  { context: runContext = {}, tenant }: Pick<AgentManifest, 'context' | 'tenant'>,
  decline: () => never,
): ToolContext {
  return {
    ...identity(tool, input, meta, context),
    context: runContext,
    tenant: async () => tenant,
    signal,
    progress: () => undefined,
    checkpoint: async () => decline(),
    lastCheckpoint: undefined,
    earlierCalls: async () => decline(),
    complete: async () => decline(),
    commit: async () => undefined,
    defer: () => decline(),
    attempt: 1,
  };
}

function identity(
  tool: Tool,
  input: Json,
  { root, scope, call }: ToolCallMeta,
  { log }: Context,
): Pick<ToolContext, 'idempotencyKey' | 'callId' | 'runId' | 'log'> {
  const attributes = { tool: tool.name, call };
  return {
    // The same over retries, crashes and continue-as-new of one call; another as soon as the input differs.
    idempotencyKey: createHash('sha256')
      .update(canonicalJson([root, scope, call, tool.name, input]))
      .digest('hex'),
    callId: call,
    runId: root,
    log: {
      info: (text) => void log.info(boundedText(text, limits.logChars), attributes),
      warn: (text) => void log.warn(boundedText(text, limits.logChars), attributes),
    },
  };
}

/** A checkpoint that cannot be stored. The next attempt would come to the same point. */
class CheckpointError extends Error {
  override name = 'CheckpointError';
  readonly retryable = false;
}

/** A tool's checkpoint as it is recorded. Throws {@link CheckpointError}; nothing is stored then. */
function checkedCheckpoint(
  tool: string,
  value: unknown,
  { checkpointBytes: most = limits.checkpointBytes }: ToolCallMeta,
): Json {
  const checkpoint = asJson(tool, value);
  const bytes = jsonBytes(checkpoint);
  if (bytes <= most) return checkpoint;
  const shared =
    most < limits.checkpointBytes
      ? ` Calls of a run that are under way together share ${limits.checkpointsBytes / 1e6} MB, so fewer calls in one reply have more room.`
      : '';
  throw new CheckpointError(
    `The checkpoint of ${tool} has ${bytes} bytes as JSON; at most ${most} can be stored, so it was not. Store where the work is kept, not the work itself.${shared}`,
  );
}

function asJson(tool: string, value: unknown): Json {
  try {
    return plainJson(value);
  } catch (error) {
    const why = error instanceof TypeError ? error.message : 'It cannot be written as JSON.';
    throw new CheckpointError(`The checkpoint of ${tool} was not stored. ${why}`, { cause: error });
  }
}

/** 128 bits: the token cannot be guessed, nor derived from an event or idempotency key. */
const SECRET_BYTES = 16;

/**
 * The deferral of one tool call: the token is stored, and the result comes later from outside the worker. All attempts of
 * one schedule have the same token, so that one given out by a failed attempt still holds. The secret is random, so it has to
 * be stored in the heartbeat record before the tool gets it. `sign`: makes the signature that the tool gets with the token, and that is not
 * recorded.
 */
export function createDeferral(
  info: Pick<Info, 'workflowExecution' | 'activityId'>,
  heartbeat: Pick<HeartbeatWriter, 'record' | 'store'>,
  sign?: (token: string) => string,
) {
  let deferred: Promise<{ token: string }> | undefined;
  const storeToken = async () => {
    const token = heartbeat.record.token ?? newToken(info);
    if (token !== heartbeat.record.token) await heartbeat.store({ token });
    return { token: sign === undefined ? token : `${token}:${sign(token)}` };
  };
  return {
    /** Resolves when the token is stored. Throws when the attempt is no longer ours. */
    defer(): Promise<{ token: string }> {
      deferred ??= storeToken();
      // A tool may call `defer` and not await it: `resultOf` reports the error.
      deferred.catch(() => undefined);
      return deferred;
    },
    /** The result of the attempt. The output of a deferred call is a note for the person who is asked. Throws as `defer` does. */
    async resultOf(result: ToolResult): Promise<ToolResult> {
      const given = await deferred;
      return given === undefined || result.kind !== undefined
        ? result
        : { ...result, kind: 'deferred', token: heartbeat.record.token };
    },
  };
}

function newToken({
  workflowExecution,
  activityId: own,
}: Pick<Info, 'workflowExecution' | 'activityId'>): string {
  const { workflowId = '' } = workflowExecution ?? {};
  const { scope = 0, call = own } = parseActivityId(own) ?? {};
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return writeToken({ id: workflowId, call: activityId(scope, call, 0), secret });
}
