import type { Context } from '@temporalio/activity';
import { parseActivityId } from '../../agent/calls/calls.ts';
import type { Heartbeat } from '../../agent/calls/heartbeat-record.ts';
import { createPieces } from '../../agent/live-text/pieces.ts';
import { calledIn } from '../../history/read/scheduled-call.ts';
import { topicOf } from '../../features/live/live-channel.ts';
import type { LivePublisher } from '../../features/live/publisher.ts';

/** Passes an attempt's texts on to live readers. */
export interface LiveTap {
  /** Takes the record after a change. */
  changed(record: Heartbeat): void;
  /** Passes on what is left. */
  stop(): void;
}

/** Time between two messages of an attempt; the chunks of a model come faster. */
const EVERY_MS = 30;
/** Readers that come within so long are answered together. */
const ANSWER_MS = 100;

/** Returns undefined for an activity that is not a call of a run. */
export function tapLive({ client, info }: Context, live: LivePublisher): LiveTap | undefined {
  const { scope, call = '' } = parseActivityId(info.activityId) ?? {};
  const { workflowExecution, scheduledTimestampMs: scheduledAt, attempt } = info;
  if (scope === undefined || !/^\d/u.test(call) || workflowExecution === undefined) return undefined;
  const { workflowId, runId } = workflowExecution;
  const topic = topicOf(workflowId);
  const fromBeginning = () => createPieces({ runId, call: calledIn(scope, call), scheduledAt, attempt });
  let next = fromBeginning();
  let latest: Heartbeat = {};
  let timer: NodeJS.Timeout | undefined;
  let answer: NodeJS.Timeout | undefined;
  const pass = () => {
    if (live.hasReaders(topic)) live.publish(client, topic, next(latest));
  };
  const end = live.begin(topic, () => {
    answer ??= setTimeout(() => {
      answer = undefined;
      next = fromBeginning();
      pass();
    }, ANSWER_MS);
  });
  return {
    changed(record) {
      latest = record;
      if (timer !== undefined || !live.hasReaders(topic)) return;
      pass();
      timer = setTimeout(() => {
        timer = undefined;
        pass();
      }, EVERY_MS);
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(answer);
      pass();
      end();
    },
  };
}
