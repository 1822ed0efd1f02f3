import { searchAttribute } from '../agent/names.ts';
import type { CliContext } from './context.ts';

/** Where the Web UI is, which is known of a server of our own only. */
export type WebUi = Pick<CliContext, 'embedded' | 'namespace'>;

/** A run's page; without `runId` the latest run of the id. undefined where no Web UI is known. */
export function runPage({ embedded, namespace }: WebUi, id: string, runId = ''): string | undefined {
  if (embedded === undefined) return undefined;
  const run = runId === '' ? '' : `/${encodeURIComponent(runId)}`;
  return `${embedded.uiUrl}${workflowsPath(namespace)}/${encodeURIComponent(id)}${run}`;
}

/** The list of runs, those that wait for a person only; below the Web UI's address. */
export function waitingPath(namespace: string): string {
  return `${workflowsPath(namespace)}?query=${encodeURIComponent(`${searchAttribute.status}="waiting"`)}`;
}

function workflowsPath(namespace: string): string {
  return `/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
