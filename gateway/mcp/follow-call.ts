import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { progressText } from '../replies/progress-text.ts';
import { type WorkerLook, withWorkerParts } from '../replies/worker-parts.ts';
import { type RunPart, runParts } from '../replies/run-parts.ts';
import { type SendDecision, askForDecision, canAsk } from './ask-for-decision.ts';

/** A call of a tool under way. */
export interface CallContext {
  server: McpServer;
  /** Decides on a waiting call. undefined: the caller may not. */
  decide: SendDecision | undefined;
  /** Aborted when the client cancels the call, or is gone. The run continues. */
  signal: AbortSignal;
  look: WorkerLook;
  _meta?: { progressToken?: string | number | undefined } | undefined;
  sendNotification(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }): Promise<void>;
}

/**
 * Resolves when the run has ended, when the run waits for a person whom the client cannot ask, and after `waitMs`. Reports progress to a
 * client that wants progress. A client with elicitation asks the person; the time does not run meanwhile.
 */
export async function followCall(run: AgentRun, waitMs: number, context: CallContext): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  let timer = setTimeout(end, waitMs);
  context.signal.addEventListener('abort', end);
  const waits = new Map<string, WaitingCall>();
  const asked = new Map<string, AbortController>();
  let isPresent = false;
  let progress = 0;
  try {
    for await (const part of withWorkerParts(
      runParts(run.events({ signal: over.signal }), { isPlain: false }),
      context.look,
      {
        isWorking: () => waits.size === 0,
        wrap: (one): RunPart => one,
      },
    )) {
      const message = progressText(part);
      if (message !== undefined) await report(message);
      if (part.type === 'ended') return;
      if (part.type === 'caught_up') isPresent = true;
      if (part.type === 'waiting' && needsPerson(part.wait)) waits.set(part.wait.call, part.wait);
      if (part.type === 'wait_ended' || part.type === 'void') noLongerWaits(part.call);
      if (!isPresent || waits.size === 0) continue;
      if (context.decide === undefined || !canAsk(context.server)) return;
      for (const wait of waits.values()) if (!asked.has(wait.call)) askFor(wait, context.decide);
    }
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', end);
    for (const answer of asked.values()) answer.abort();
  }

  function askFor(wait: WaitingCall, decide: SendDecision): void {
    clearTimeout(timer);
    const answer = new AbortController();
    asked.set(wait.call, answer);
    const unanswered = () => answer.signal.aborted || end();
    void askForDecision(context.server, decide, wait, answer.signal).then(
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
    const progressToken = context['_meta']?.progressToken;
    if (progressToken === undefined) return;
    progress += 1;
    await context.sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    });
  }
}
