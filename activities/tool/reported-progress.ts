import type { Context } from '@temporalio/activity';
import type { ControlReport } from '../../agent/background/control-report.ts';
import { withProgress } from '../../agent/background/background-texts.ts';
import { createLivePoll } from '../../history/list/live.ts';
import type { Tool } from '../../adapters/tools/tool.ts';

/** Makes the tool that gives the model the run's answer about a background call, with the progress of that call. */
export function reporting(tool: Tool, report: ControlReport, context: Context): Tool {
  return { ...tool, run: () => reportText(report, context) };
}

/** The progress is in no history: without it the answer is true as well. */
async function reportText({ text, progressOf }: ControlReport, { client, info }: Context): Promise<string> {
  if (progressOf === undefined) return text;
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const { call, child } = progressOf;
  const run = child === undefined ? { workflowId, runId } : { workflowId: child, runId: '' };
  const reports = await createLivePoll(
    client,
    () => run,
    () => 0,
  )().catch(() => []);
  const found = child === undefined ? reports.find((report) => report.call === call) : reports.at(-1);
  if (found === undefined) return text;
  const { attempt, progress } = found.texts;
  return withProgress(text, { attempt, progress, step: child === undefined ? undefined : found.call });
}
