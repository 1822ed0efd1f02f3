import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import { followReply, partsUntilBegun } from '../replies/follow-reply.ts';
import { sseResponse } from '../replies/sse-response.ts';
import type { Approval } from '../start/approvals.ts';
import { answerRun } from '../start/answer-run.ts';
import { type SetFields, readFields } from '../start/set-fields.ts';
import { type StartedRun, startRun } from '../start/start-run.ts';
import { aguiStream } from './agui-stream.ts';
import { type RunInput, readRunInput } from './read-run-input.ts';

export const aguiRoutes: readonly ProtocolRoute[] = [{ method: 'post', path: '/:agent', handle: runAgent }];

/** Starts a run, or answers the waits of one. A message that is sent again gives the same run. */
async function runAgent(request: ProtocolRequest): Promise<Response> {
  const { names, messages, asked, body } = await readRunInput(request.request);
  const fields = readFields(request.caller, 'POST /ag-ui/:agent', body);
  const { run, answered } = await startOrAnswer(request, names.threadId, asked, fields);
  return sseResponse(request.request, (signal) =>
    aguiStream(
      {
        before: partsUntilBegun(request.client, run, signal),
        open: () => followReply(request, run, { until: 'end', signal }),
      },
      { names, messages, answered },
      request.report,
    ),
  );
}

async function startOrAnswer(
  request: ProtocolRequest,
  session: string,
  asked: RunInput['asked'],
  fields: SetFields,
): Promise<{ run: StartedRun; answered: readonly Approval[] }> {
  const agent = request.params['agent'] ?? '';
  if (asked.type === 'answers') {
    const { id, waits } = await answerRun(request, asked, { route: 'POST /ag-ui/:agent resume', agent });
    return { run: { id, hasBegun: true }, answered: waits };
  }
  const { input, message, clientTools } = asked;
  const key = `${session}/${message}`;
  const run = await startRun(request, { ...fields, clientTools, agent, input, session, key });
  return { run, answered: [] };
}
