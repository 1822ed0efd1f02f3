import type { ReachedLimit } from '../../agent/limits/run-limits.ts';
import { askTimeoutOf, unanswered } from '../../agent/rules/waiting.ts';
import { type Ending, modelCall } from '../../agent/run/call-state.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type AgentLoop, callId } from '../run/agent-loop.ts';
import { runFailure } from '../temporal/run-failure.ts';

/** What a person makes of a run that has come to a limit. */
export type AfterLimit = { type: 'go on' } | { type: 'answer'; output: Json } | { type: 'stop' };

/** Waits where the model would be asked next: until a person raises the limit, gives the answer, or has the run stop or fail. */
export async function askAtLimit(loop: AgentLoop, reached: ReachedLimit): Promise<AfterLimit> {
  const { control, manifest, deadline, emit, limitWait } = loop;
  const id = callId(loop);
  const call = modelCall(id, loop.firstN + limitWait.waits(id));
  const open = control.open(call, { outputSchema: manifest.output, clock: deadline, emit });
  limitWait.begin(id, reached);
  try {
    await open.wait(
      { reason: 'limit', figure: reached.figure, done: [] },
      { timeout: askTimeoutOf(manifest, undefined), endsWhen: () => limitWait.reached === undefined },
    );
    if (limitWait.reached === undefined) return { type: 'go on' };
    return afterWait(open.now.last);
  } finally {
    limitWait.end();
    control.close(open);
  }
}

function afterWait(last: Ending | undefined): AfterLimit {
  switch (last?.type) {
    case 'replied':
      return { type: 'answer', output: last.reply };
    case 'aborted':
      throw runFailure(last.error);
    case 'unanswered': {
      const after = unanswered(last.timeout, { tool: 'callModel', reason: 'limit' });
      if (after.type === 'fail') throw runFailure(after.error);
      return { type: 'stop' };
    }
    default:
      return { type: 'stop' };
  }
}
