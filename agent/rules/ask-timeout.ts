import { unansweredTool } from '../observations.ts';
import type { AgentManifest, AskTimeout, ToolManifest } from '../manifest.ts';
import type { ErrorInfo, WaitingReason } from '../vocabulary.ts';
import type { CallEnd } from './call-rules.ts';

/** How long a person is waited for; undefined: for ever. `tool`: undefined for a call of the model. */
export function askTimeoutOf(
  { askTimeout }: Pick<AgentManifest, 'askTimeout'>,
  tool: ToolManifest | undefined,
): AskTimeout | undefined {
  return tool?.askTimeout ?? askTimeout;
}

/** What becomes of a call that nobody decided on in time. */
export function unanswered(
  { unanswered: policy }: AskTimeout,
  { tool, reason }: { tool: string; reason: WaitingReason },
): { type: 'end'; end: CallEnd } | { type: 'fail'; error: ErrorInfo } {
  if (policy === 'observe') {
    return { type: 'end', end: { observation: unansweredTool(reason), fromTool: false } };
  }
  const message = `Nobody decided in time on ${tool}, which waited (${reason}).`;
  return { type: 'fail', error: { type: 'Unanswered', message } };
}
