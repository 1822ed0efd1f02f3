import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import {
  type AgentRun,
  type OperatorDecision,
  needsPerson,
  type RunEvent,
  RunView,
  type WaitingCall,
  type WorkerLook,
} from '../../client/index.ts';
import { progressText } from '../replies/progress-text.ts';
import { withStillness } from '../replies/stillness.ts';
import { withWorkerParts } from '../replies/worker-parts.ts';
import { type RunPart, runParts } from '../replies/run-parts.ts';
import { decisionIn, formOf } from './decision-form.ts';

/** People may take their time. */
const ANSWER_MS = 86_400_000;

/** A call of a tool under way. */
export interface CallContext {
  server: McpServer;
  /** Returns true for a wait about which the server can have the client ask a person now. */
  mayAsk(wait: WaitingCall): boolean;
  /** Sends the decision on a call of the run. `wait`: the `n` of the wait. */
  decide(call: string, decision: OperatorDecision, wait: number): Promise<unknown>;
  /** The request. Its signal is aborted when the client cancels the call, or is gone; the run continues. */
  request: ServerContext['mcpReq'];
  look: WorkerLook;
}

/**
 * Resolves when the run has ended, when the run is held up until a person decides and nothing can be asked now, and after `waitMs`. Reports progress to a client that
 * wants progress. The time does not run while a person is asked.
 */
export async function followCall(run: AgentRun, waitMs: number, context: CallContext): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  let timer = setTimeout(end, waitMs);
  context.request.signal.addEventListener('abort', end);
  const waits = new Map<string, WaitingCall>();
  const asked = new Map<string, AbortController>();
  const view = new RunView(run.id);
  let isHeldUp = false;
  let isPresent = false;
  let progress = 0;
  try {
    for await (const part of withWorkerParts(
      withStillness(runParts(seenBy(view, run.events({ signal: over.signal })), { isPlain: false, view }), {
        view,
        wrap: (one) => one,
      }),
      context.look,
      {
        isWorking: () => !isHeldUp,
        wrap: (one): RunPart => one,
      },
    )) {
      const message = progressText(part);
      if (message !== undefined) await report(message);
      if (part.type === 'ended') return;
      if (part.type === 'caught_up') isPresent = true;
      if (part.type === 'held_up') isHeldUp = part.by.length > 0;
      if (part.type === 'waiting' && needsPerson(part.wait)) waits.set(part.wait.call, part.wait);
      if (part.type === 'wait_ended' || part.type === 'void') noLongerWaits(part.call);
      if (!isPresent || waits.size === 0) continue;
      const askable = [...waits.values()].filter((wait) => context.mayAsk(wait));
      if (askable.length === 0 && isHeldUp) return;
      for (const wait of askable) if (!asked.has(wait.call)) askFor(wait);
    }
  } finally {
    clearTimeout(timer);
    context.request.signal.removeEventListener('abort', end);
    for (const answer of asked.values()) answer.abort();
  }

  function askFor(wait: WaitingCall): void {
    clearTimeout(timer);
    const answer = new AbortController();
    asked.set(wait.call, answer);
    const unanswered = () => answer.signal.aborted || end();
    void askForDecision(context, wait, answer.signal).then(
      (isDecided) => isDecided || unanswered(),
      unanswered,
    );
  }

  function noLongerWaits(call: string): void {
    waits.delete(call);
    asked.get(call)?.abort();
    if (asked.delete(call) && asked.size === 0) timer = setTimeout(end, waitMs);
  }

  async function report(message: string): Promise<void> {
    const progressToken = context.request['_meta']?.progressToken;
    if (progressToken === undefined) return;
    progress += 1;
    await context.request.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    });
  }
}

async function* seenBy(view: RunView, events: AsyncGenerator<RunEvent>): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.within === undefined) view.add(event);
    yield event;
  }
}

/** Has a client of 2025-11-25 or earlier ask a person, and sends the decision to the run. Returns false where the person does not decide. */
async function askForDecision(
  { server: { server }, decide }: CallContext,
  wait: WaitingCall,
  signal: AbortSignal,
): Promise<boolean> {
  const decision = decisionIn(wait, await server.elicitInput(formOf(wait), { signal, timeout: ANSWER_MS }));
  if (decision === undefined) return false;
  await decide(wait.call, decision, wait.n);
  return true;
}
