import { defineTool } from 'eve/tools';
import { z } from 'zod';
import { POST } from '../../../adapters/offered.ts';
import { needsApproval, postEntry } from '../../../adapters/serve.ts';

export default defineTool({
  description: POST.description,
  inputSchema: z.object({ run: z.string(), part: z.string() }),
  approval: ({ toolInput }) => (needsApproval(toolInput?.run ?? '') ? 'user-approval' : 'not-applicable'),
  execute: (input, { session, callId, abortSignal }) =>
    postEntry(input, `${session.id} ${callId}`, abortSignal),
});
