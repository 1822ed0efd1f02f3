import { type AgentRun, isRecorded, workflowPage } from '../../client/index.ts';
import { runPage } from '../../features/render/page/run-page.ts';
import { pageHeaders } from '../http/page-response.ts';
import { route } from '../http/route.ts';
import { eventText, sseResponse } from '../replies/sse-response.ts';

/** A run as a page, which changes while the run is open. */
export const pageRoutes = [
  route({
    method: 'get',
    path: '/runs/{id}/page',
    summary: 'The whole run, with its sub-agents, as a page for a browser',
    response: 'text/html',
    handle: async ({ run, client, webUi }) => {
      const url = webUi && workflowPage(webUi, client.temporal.options.namespace, run.id);
      const page = runPage(await run.export({ images: true }), { url, now: Date.now() });
      return new Response(page, {
        headers: pageHeaders('text/html', "style-src 'unsafe-inline'; img-src data:"),
      });
    },
  }),
  route({
    method: 'get',
    path: '/runs/{id}/page/events',
    summary:
      'Server-sent events: `changed` when the page of the run has something new, `ended` when it is whole',
    handle: async ({ run, request, report }) =>
      sseResponse(request, (signal) => pageChanges(run, signal, report)),
  }),
];

async function* pageChanges(
  run: AgentRun,
  signal: AbortSignal,
  report: (error: unknown) => void,
): AsyncGenerator<string> {
  let isCaughtUp = false;
  try {
    for await (const event of run.events({ subAgents: true, signal })) {
      isCaughtUp ||= event.type === 'caught_up';
      if (isCaughtUp && (isRecorded(event) || event.type === 'caught_up')) yield eventText({}, 'changed');
    }
    if (!signal.aborted) yield eventText({}, 'changed') + eventText({}, 'ended');
  } catch (error) {
    if (!signal.aborted) report(error);
  }
}
