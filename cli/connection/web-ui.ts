import { searchAttribute } from '../../agent/values/names.ts';
import { setValue } from '../../agent/values/set-value.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { workflowPage, workflowsPath } from '../../client/connect/web-ui-page.ts';
import type { RunReport } from '../../client/report.ts';
import type { CliContext } from './context.ts';
import { type Io, say } from '../shell/io.ts';

/** Data for links to the Web UI, which is known only for our own server. */
export type WebUi = Pick<CliContext, 'embedded' | 'namespace'>;

/** Address of the Web UI: RELOOP_WEB_UI, or that of our own server. */
export function webUiAddress(env: Io['env'], { embedded }: Pick<CliContext, 'embedded'>): string | undefined {
  return setValue(env['RELOOP_WEB_UI']) ?? embedded?.uiUrl;
}

/** Address of a Web UI that is there when the command has ended. A server that the command started ends with it. */
export function lastingWebUi(embedded: WebUi['embedded']): string | undefined {
  return embedded?.startedByUs === true ? undefined : embedded?.uiUrl;
}

/** A run's page; without `runId` the latest run of the id. undefined where no Web UI is known. */
export function runPage({ embedded, namespace }: WebUi, id: string, runId = ''): string | undefined {
  if (embedded === undefined) return undefined;
  const run = runId === '' ? '' : `/${encodeURIComponent(runId)}`;
  return workflowPage(embedded.uiUrl, namespace, id) + run;
}

/** Prints the link of a run in the Web UI, if it is known. A server that this command started ends with it. */
export function sayPage(io: Io, ui: WebUi, id: string): void {
  const url = runPage(ui, id);
  if (url === undefined) return;
  const until = ui.embedded?.startedByUs === true ? ` (while \`${cliName()} dev\` runs)` : '';
  say(io, `Web UI: ${url}${until}`);
}

/** A run whose report has its page beside the rest. */
export function withPage(ui: WebUi, run: AgentRun) {
  return {
    id: run.id,
    async describe(): Promise<RunReport & { url?: string | undefined }> {
      const report = await run.describe();
      return { ...report, url: runPage(ui, report.id, report.runId) };
    },
  };
}

/** The list of runs, those that wait for a person only; below the Web UI's address. */
export function waitingPath(namespace: string): string {
  return `${workflowsPath(namespace)}?query=${encodeURIComponent(`${searchAttribute.status}="waiting"`)}`;
}
