import { callPath } from '../../agent/calls.ts';
import type { WaitingCall } from '../../agent/events.ts';
import { type CallState, type DecisionName, fittingDecisions, ruleOf } from '../../agent/rules/decisions.ts';
import { stateOf } from '../../agent/rules/waiting.ts';
import { shellWord } from '../print/display.ts';
import { workflowPage } from '../web-ui.ts';
import { reloop } from '../../client/typed-command.ts';

export interface HelpOptions {
  id: string;
  /** Of Temporal; the page that says what waits is one of its own. */
  runId: string;
  /** What the commands need beside the id to find the same run: `--address …`. */
  flags: readonly string[];
  /** Of the Web UI, where known. */
  uiUrl: string | undefined;
  namespace: string;
}

/** What to type for a call that waits, ready to be pasted; indented as in the trace. */
export function waitingHelp(
  waiting: WaitingCall,
  all: readonly WaitingCall[],
  { id, runId, flags, uiUrl, namespace }: HelpOptions,
): string[] {
  const run = shellWord(id);
  const path = callPath(waiting.call);
  const which = all.length > 1 || path.length > 1 ? [waiting.call] : [];
  // A sub-agent has a page of its own, where its updates are.
  const workflow = [id, ...path.slice(0, -1)].join('/');
  const page = workflowPage(uiUrl ?? '', namespace, workflow);
  // Of a sub-agent's run only the workflow id is known here; its page leads on.
  const tab = path.length > 1 || runId === '' ? '' : `/${encodeURIComponent(runId)}/user-metadata`;
  const state = stateOf(waiting);
  const commands = fittingDecisions(state).map((name) => {
    const { words, hint } = usageOf(name, state);
    return `${[reloop(), name, run, ...which, ...words, ...flags].join(' ')}${hint}`;
  });
  // A limit is raised for the run that it is of.
  const raise =
    waiting.reason === 'limit'
      ? [[reloop(), 'extend', shellWord(workflow), raisingFlag(waiting), ...flags].join(' ')]
      : [];
  const lines = [...raise, ...commands, ...(uiUrl === undefined ? [] : [page + tab])];
  return lines.map((text) => `      ${text}`);
}

/** What raises the limit that the run has come to. */
function raisingFlag({ error }: WaitingCall): string {
  switch (error?.type) {
    case 'MaxExecutionTime':
      return '--time 10m';
    case 'TokenBudget':
      return '--tokens 10000';
    case 'CostBudget':
      return '--cost 0.5';
    default:
      return '--iterations 5';
  }
}

/** What a decision takes: words that have to be there, and a hint at those that may. */
function usageOf(name: DecisionName, { kind, waiting }: CallState): { words: string[]; hint: string } {
  const { takes } = ruleOf(name);
  const words = [
    ...(takes.output === undefined ? [] : ['"…"']),
    ...(takes.reason === 'required' ? ['--reason "…"'] : []),
  ];
  const hints = [
    ...(takes.output !== undefined && kind === 'model'
      ? [waiting === 'limit' ? 'the answer' : 'the reply, as the model would have written it']
      : []),
    // The model is asked what the run says.
    ...(takes.input !== undefined && kind === 'tool' ? ['other input: --input "…"'] : []),
    ...(takes.remember !== undefined ? ['not to be asked again: --remember tool|input'] : []),
    ...(takes.reason === 'optional' ? ['why: --reason "…"'] : []),
  ];
  return { words, hint: hints.length === 0 ? '' : `  (${hints.join('; ')})` };
}
