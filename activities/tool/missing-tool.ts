import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';
import { startHeartbeat } from '../attempt/heartbeat.ts';
import { toolMeta } from './tool-call.ts';

export type AnyActivity = (...args: unknown[]) => unknown;

/** A rolling deploy is given half a minute to bring a worker that has the tool. */
const TRIES = 10;
const NEXT_TRY_MS = 3000;
/** A call that may take effect once only has one attempt; the workflow schedules it again, five times. */
const NEXT_SCHEDULE_MS = 6000;

/**
 * Fallback activity for unknown names: fails the call of a tool that this config does not have (any more), unless it is one of an option,
 * in `earlier`. Activities that are not tool calls go to `own`, the worker's own fallback, or fail as in the SDK.
 */
export function createMissingTool(
  known: string[],
  earlier: { [name: string]: (input: Json) => unknown },
  own: AnyActivity | undefined,
): AnyActivity {
  return async (...args) => {
    const { activityType } = Context.current().info;
    const meta = toolMeta();
    if (meta !== undefined) {
      const ofOption = Object.hasOwn(earlier, activityType) ? earlier[activityType] : undefined;
      if (ofOption === undefined) throw await missing(activityType, known, meta);
      return ofOption(args[0] as Json); // as for the activity of each tool
    }
    if (own !== undefined) return own(...args);
    throw ApplicationFailure.create({
      type: 'NotFoundError',
      message: `Activity function ${activityType} is not registered on this Worker, available activities: ${JSON.stringify(known)}`,
    });
  };
}

async function missing(tool: string, known: string[], meta: ToolCallMeta): Promise<ApplicationFailure> {
  const context = Context.current();
  const heartbeat = startHeartbeat(context);
  try {
    const { missed = 0, checkpoint = meta.checkpoint } = heartbeat.record;
    const failure = {
      type: 'ToolNotFound',
      message: `No worker of this task queue has the tool ${tool}. This one has: ${known.join(', ') || 'none'}. Put it back into the config, start a worker with it, and retry the call.`,
      details: checkpoint === undefined ? [] : [{ checkpoint }],
    };
    if (meta.once === true) {
      await sleep(NEXT_SCHEDULE_MS, undefined, { signal: context.cancellationSignal });
      return ApplicationFailure.create({
        ...failure,
        details: [{ checkpoint, notDone: 'again' }],
        nonRetryable: true,
      });
    }
    if (missed + 1 >= TRIES) return ApplicationFailure.create({ ...failure, nonRetryable: true });
    heartbeat.set({ missed: missed + 1 });
    heartbeat.end();
    return ApplicationFailure.create({ ...failure, nextRetryDelay: NEXT_TRY_MS });
  } finally {
    heartbeat.stop();
  }
}
