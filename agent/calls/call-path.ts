/**
 * Parts of a call's id: `1.1/2.1` is call 2.1 of the sub-agent that call 1.1 runs. Each part but the last is a run
 * below the one before. A number alone is a scope before other parts (`1/3.1`), and a model call at the end (`1.1/3`); the
 * model call for a summary before it is `1.1/3-compaction`.
 */
export function callPath(call: string): string[] {
  const path: string[] = [];
  let scope = '';
  const parts = call.split('/');
  parts.forEach((part, index) => {
    if (/^\d+$/u.test(part) && scope === '' && index < parts.length - 1) scope = `${part}/`;
    else if (/^\d+(?:\.\d+(?:~\d+)?|-compaction)?$/u.test(part)) {
      path.push(scope + part);
      scope = '';
    }
  });
  return path;
}

/**
 * Workflow id of the run that a call is made in. `id`: the run that the call's path starts in. A sub-agent's run is named like its
 * parent's, a slash, and the call that it is.
 */
export function workflowOfCall(id: string, call: string): string {
  return [id, ...callPath(call).slice(0, -1)].join('/');
}

/** Returns the model call whose reply has the tool call: `3` for `3.1`, `1/3` for `1/3.1`. For a model call, the call itself. */
export function modelCallOf(call: string): string {
  const dot = call.lastIndexOf('.');
  return dot === -1 ? call : call.slice(0, dot);
}
