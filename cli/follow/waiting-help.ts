import { usualRaise } from '../../agent/limits/usual-raise.ts';
import { callPath, workflowOfCall } from '../../agent/calls/call-path.ts';
import { type WaitingCall, stateOf } from '../../agent/rules/waiting.ts';
import { type CallState, type DecisionName, fittingDecisions, ruleOf } from '../../agent/rules/decisions.ts';
import { duration } from '../../features/render/words/amounts.ts';
import type { CliContext } from '../connection/context.ts';
import { lastingWebUi } from '../connection/web-ui.ts';
import { workflowPage } from '../../client/connect/web-ui-page.ts';
import { TO_WRITE, typedCommand } from '../../client/connect/cli-name.ts';

export interface HelpOptions {
  id: string;
  /** Temporal's run id; the page of a wait is the page of one execution. */
  runId: string;
  /** Options that commands need beside the id to find the same run: `--address …`. */
  flags: readonly string[];
  /** URL of the Web UI, if known. */
  uiUrl: string | undefined;
  namespace: string;
}

export function helpOptions(
  { namespace, embedded }: Pick<CliContext, 'namespace' | 'embedded'>,
  { id, runId }: Pick<HelpOptions, 'id' | 'runId'>,
  flags: readonly string[],
): HelpOptions {
  return { id, runId, flags, namespace, uiUrl: lastingWebUi(embedded) };
}

/** Commands for a waiting call, ready to be pasted; indented as in the trace. */
export function waitingHelp(
  waiting: WaitingCall,
  all: readonly WaitingCall[],
  { id, runId, flags, uiUrl, namespace }: HelpOptions,
  nowMs = Date.now(),
): string[] {
  const path = callPath(waiting.call);
  const which = all.length > 1 || path.length > 1 ? [waiting.call] : [];
  // A sub-agent has a separate page, where its updates are.
  const workflow = workflowOfCall(id, waiting.call);
  const page = workflowPage(uiUrl ?? '', namespace, workflow);
  // The run id of a sub-agent's run is not known here; the workflow's page has links to it.
  const tab = path.length > 1 || runId === '' ? '' : `/${encodeURIComponent(runId)}/user-metadata`;
  const state = stateOf(waiting);
  const commands = fittingDecisions(state).map((name) => {
    const { words, options, hint } = usageOf(name, state, nowMs);
    return `${typedCommand(name, [id, ...which, ...words], [...options, ...flags])}${hint}`;
  });
  // A limit is raised for the run that it is of.
  const { limit, by } = usualRaise(waiting);
  const raise =
    waiting.reason === 'limit' ? [typedCommand('extend', [workflow], [`--${limit} ${by}`, ...flags])] : [];
  const lines = [...raise, ...commands, ...(uiUrl === undefined ? [] : [`or in the Web UI: ${page}${tab}`])];
  return lines.map((text) => `      ${text}`);
}

/** Required words and options of a decision, and a hint at the optional ones. */
function usageOf(
  name: DecisionName,
  { kind, waiting, until }: CallState,
  nowMs: number,
): { words: string[]; options: string[]; hint: string } {
  const { takes } = ruleOf(name);
  const words = takes.output === undefined ? [] : [TO_WRITE];
  const options = takes.reason === 'required' ? ['--reason "…"'] : [];
  const hints = [
    ...(name === 'reconcile' && until !== undefined
      ? [`if you know that it is dead; otherwise it is asked in ${duration(Math.max(0, until - nowMs))}`]
      : []),
    ...(takes.output !== undefined && waiting === 'answer' ? ['the answer'] : []),
    ...(takes.output !== undefined && kind === 'model'
      ? [waiting === 'limit' ? 'the answer' : 'the reply, as the model would have written it']
      : []),
    // The model is asked what the run says.
    ...(takes.input !== undefined && kind === 'tool' ? ['other input: --input "…"'] : []),
    ...(takes.remember !== undefined ? ['not to be asked again: --remember tool|input'] : []),
    ...(takes.reason === 'optional' ? ['why: --reason "…"'] : []),
  ];
  return { words, options, hint: hints.length === 0 ? '' : `  (${hints.join('; ')})` };
}
