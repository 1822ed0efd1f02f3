import { callPath } from '../../agent/calls.ts';
import type { WaitingCall } from '../../agent/events.ts';
import { shellWord } from '../print/display.ts';

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
  const line = (command: string, ...words: string[]) =>
    ['reloop', command, run, ...words, ...flags].join(' ');
  const page = `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflow)}`;
  // Of a sub-agent's run only the workflow id is known here; its page leads on.
  const tab = path.length > 1 || runId === '' ? '' : `/${encodeURIComponent(runId)}/user-metadata`;
  const lines = [
    `${line('retry', ...which)}  (other input: --input "…")`,
    line('resolve', waiting.call, '"…"'),
    `${line('skip', ...which)}  (the model is told why: --reason "…")`,
    ...(uiUrl === undefined ? [] : [page + tab]),
  ];
  return lines.map((text) => `      ${text}`);
}
