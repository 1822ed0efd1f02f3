import { getHookByToken, getRun, resumeHook, start } from 'workflow/api';
import { clerk, office } from '../workflows/clerk.mjs';

/** What the program asks of the app: `run` is Workflow's id. */
export default {
  async fetch(request) {
    const { what, run, agent, question, token } = await request.json();
    if (what === 'start')
      return Response.json({ run: (await start(agent === 'office' ? office : clerk, [question])).runId });
    if (what === 'waiting')
      return Response.json({
        isWaiting: await getHookByToken(token).then(
          () => true,
          () => false,
        ),
      });
    if (what === 'approve')
      return Response.json({ run: (await resumeHook(token, { approved: true })).runId });
    if (what === 'cancel') return Response.json({ done: (await getRun(run).cancel()) ?? true });
    const status = await getRun(run).status;
    return Response.json({
      status,
      value: status === 'completed' ? await getRun(run).returnValue : undefined,
    });
  },
};
