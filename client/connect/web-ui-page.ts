/** The page of a workflow in Temporal's Web UI, that of its latest run. `uiUrl`: address of the Web UI. */
export function workflowPage(uiUrl: string, namespace: string, id: string): string {
  return `${uiUrl}${workflowsPath(namespace)}/${encodeURIComponent(id)}`;
}

/** The list of workflows, below the address of the Web UI. */
export function workflowsPath(namespace: string): string {
  return `/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
