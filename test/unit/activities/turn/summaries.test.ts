import { describe, expect, test } from 'vitest';
import { summaryIn } from '../../../../activities/turn/summarize.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { renderSummaryRequest, summaryParams } from '../../../../agent/transcript/summary-request.ts';
import type { ModelReply } from '../../../../adapters/models/model.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const reply: ModelReply = { text: ' The code is 4711. ', toolCalls: [], finishReason: 'stop' };

describe('a summary', () => {
  test('is the text of a whole reply', () => {
    expect(summaryIn(reply)).toBe('The code is 4711.');
  });

  test.each<[what: string, odd: Partial<ModelReply>, why: string]>([
    ['cut at the token limit', { finishReason: 'length' }, 'cut at the token limit'],
    ['ended by the content filter', { finishReason: 'content_filter' }, 'content filter'],
    [
      'a call beside some words',
      { toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
      'called a tool',
    ],
    ['empty', { text: ' \n' }, 'answered with nothing'],
  ])('is none that is %s: the model is asked again', (_what, odd, why) => {
    expect(() => summaryIn({ ...reply, ...odd })).toThrow(
      expect.objectContaining({
        type: 'EmptySummary',
        nonRetryable: false,
        message: expect.stringContaining(why),
      }),
    );
  });

  test('is not bounded by the tokens of one reply of the agent', () => {
    const { params } = sampleManifest();
    const manifest = sampleManifest({ params: { ...params, maxTokens: 60 } });
    const context = { manifest, input: 'x', chatHistory: [], variables: {}, steps: [], closing: false };
    expect(renderSummaryRequest(toolCalling, context).params).not.toHaveProperty('maxTokens');
    // The API's own default would cut each summary.
    expect(summaryParams({ ...params, api: 'completions', maxTokens: 60 }).maxTokens).toBeGreaterThan(1_000);
  });
});
