import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInKind } from '../../agent/kinds/kinds.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import { type ModelRequest, renderRequest, withoutTools } from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { renderSummaryRequest } from '../../agent/transcript/summary-request.ts';
import { openai } from '../../adapters/models/openai/openai.ts';
import { callContext } from '../support/model-calls.ts';
import { json, provider, whole } from '../support/provider-servers.ts';
import { conversations } from '../support/random-conversation.ts';
import { providerNames, refusalOf } from '../support/strict-provider.ts';

describe('every conversation is taken by', () => {
  test.each(providerNames)(
    '%s',
    async (name) => {
      const server = await provider(({ body }) => {
        const refusal = refusalOf(name, body);
        if (refusal === undefined) return whole({ content: 'Done.' }, 'stop');
        const { status, message, code = null } = refusal;
        return json(status, { error: { message, type: 'invalid_request_error', code } });
      });
      const model = openai({ baseURL: `${server.url}/v1`, apiKey: 'any' });
      await fc.assert(
        fc.asyncProperty(conversations(), async (entries) => {
          for (const request of requestsOf(entries)) {
            expect(await model.call(request, callContext())).toMatchObject({ text: 'Done.' });
          }
        }),
        { numRuns: 80, seed: 1 },
      );
    },
    120_000,
  );
});

/** The requests that a run makes with a transcript: for a turn, for the answer at a limit, for a summary, and shortened. */
function requestsOf(entries: Entry[]): ModelRequest[] {
  const context = conversation(entries);
  const kind = builtInKind(context.manifest.kind);
  const summary = renderSummaryRequest(kind, context);
  const shorter = shortenOldest(context);
  return [
    renderRequest(kind, context),
    renderRequest(kind, { ...context, closing: true }),
    summary,
    withoutTools(summary),
    ...(shorter === undefined ? [] : [renderRequest(kind, shorter)]),
  ];
}
