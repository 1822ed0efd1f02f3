import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../../../agent/values/content.ts';
import { checkSessionMessage } from '../../../../agent/session/session.ts';
import { remembered, tokensOf } from '../../../../agent/transcript/memory.ts';
import { withTurn } from '../../../../agent/session/turns.ts';
import { runPage } from '../../../../features/render/page/run-page.ts';
import { checkTakesMedia, withMedia } from '../../../../cli/options/media-options.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { runLabels } from '../../../../workflows/messages.ts';
import { scripted } from '../../../../features/testing/index.ts';
import { exportOf } from '../../../support/exported.ts';
import { pngOf } from '../../../support/image.ts';
import { modelRequest } from '../../../support/model-calls.ts';
import { answers, atSeconds, started } from '../../../support/run-events.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const stored = { type: 'image' as const, mediaType: 'image/png', bytes: 34_000, ref: { index: 0 } };
const asked: Content = [{ type: 'text', text: 'What is on it?' }, stored];

const folder = tempFolder();
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  await writeFile(file('photo.png'), pngOf(2_000));
  await writeFile(file('large.png'), pngOf(1_500_001));
  await writeFile(file('notes.txt'), 'no image');
});

describe('a question with images, as it is shown', () => {
  test('is words in the list of runs and in the Web UI', () => {
    const { memo, staticSummary } = runLabels('assistant', asked);
    expect(memo).toEqual({ agent: 'assistant', input: 'What is on it?\n[image image/png 34 KB]' });
    expect(staticSummary).toBe('assistant: What is on it?\n[image image/png 34 KB]');
  });

  test('has its images on the exported page where the export has them, and only there', () => {
    const page = (part: object) => {
      const exported = exportOf(atSeconds(started, ...answers('1', 'A cat.')));
      exported.run.input = [{ type: 'text', text: 'What is on it?' }, Object.assign({ ...stored }, part)];
      return runPage(exported);
    };
    expect(page({ data: 'iVBORw0KGgo=' })).toContain('<img src="data:image/png;base64,iVBORw0KGgo="');
    expect(page({ data: 'iVBORw0KGgo=' })).toContain("style-src 'unsafe-inline'; img-src data:");
    for (const part of [{}, { data: '"><script>' }, { data: 'PHN2Zz4=', mediaType: 'image/svg+xml' }]) {
      expect(page(part)).not.toMatch(/<img|img-src|<script/u);
      expect(page(part)).toContain('34 KB]');
    }
  });

  test('is kept in short by a scripted model, bytes and all', async () => {
    const model = scripted(['A cat.']);
    const data = pngOf(34_000).toString('base64');
    const link = { type: 'image' as const, url: 'https://a.org/b.png' };
    const content: Content = [{ type: 'text', text: 'Look' }, { ...stored, data }, link];
    const prompt = { type: 'messages' as const, messages: [{ role: 'user' as const, content }] };
    const context = { signal: new AbortController().signal, onText: () => undefined, step: '1', runId: 'r' };
    await model.call(modelRequest({}, { prompt }), context);
    const [request] = model.requests;
    expect(request?.prompt).toBe('Look\n[image image/png 34 KB]\n[image https://a.org/b.png]');
    expect(JSON.stringify(request?.body).length).toBeLessThan(1_000);
  });
});

describe('a conversation with images', () => {
  const turns = withTurn(
    withTurn([], asked, { output: 'A cat.' }, 10_000),
    'And its colour?',
    { output: 'Grey.' },
    10_000,
  );

  test('drops a turn whole, its image with it, and counts no tokens for what it shows', () => {
    expect(turns[0]?.content).toEqual(asked);
    expect(tokensOf(turns.slice(0, 1))).toBe(4);
    expect(remembered(turns, { kind: 'window', turns: 1 })).toEqual(turns.slice(2));
    const [first, second] = withTurn(turns, 'x'.repeat(300), { output: 'ok' }, 500);
    expect([first?.content, second?.content]).toEqual(['And its colour?', 'Grey.']);
  });

  const NO_PART = 'input is a text, or parts';
  test.each([
    ['no text', [stored], 'there is no question in input'],
    ['an image that did not come with it', [...asked, { ...stored, ref: { index: 1 } }], NO_PART],
    ['a URL that no provider fetches', [...asked, { type: 'image', url: 'http://a.org' }], NO_PART],
    ['a part that is none', [...asked, 'more'], NO_PART],
  ])('refuses a message with %s', (_, input, message) => {
    expect(() => checkSessionMessage({ id: 'a', agent: 'b', input }, 1)).toThrow(message);
  });

  test('takes a message whose images came with it', () => {
    expect(checkSessionMessage({ id: 'a', agent: 'b', input: asked }, 1).input).toEqual(asked);
  });
});

describe('--image', () => {
  test('takes files and URLs, behind the question', async () => {
    expect(await withMedia('what?', {})).toBe('what?');
    expect(await withMedia('what?', { image: [file('photo.png'), 'https://a.org/b.png'] })).toEqual([
      { type: 'text', text: 'what?' },
      { type: 'image', image: pngOf(2_000), mediaType: 'image/png' },
      { type: 'image', image: 'https://a.org/b.png' },
    ]);
  });

  test.each([
    ['a file that is not there', 'nothing.png', 'cannot be read: there is no such file'],
    ['a folder', '.', 'cannot be read: '],
    ['a file that is too large', 'large.png', 'takes 1.6 MB; at most 1.5 MB'],
    ['a file that is not an image', 'notes.txt', 'notes.txt (8 bytes) is not a PNG, JPEG, GIF or WebP'],
  ])('refuses %s by its name', async (_, name, message) => {
    await expect(withMedia('what?', { image: [file(name)] })).rejects.toThrow(message);
  });

  test('is refused for an agent that can be asked about no image, with what would help', () => {
    const model = scripted([]);
    const loaded = createLoadedConfig({
      agents: [
        { name: 'react', kind: 'zero-shot', model, tools: [] },
        { name: 'talker', kind: 'conversational', model, tools: [] },
        { name: 'legacy', kind: 'conversational', api: 'completions', model, tools: [] },
      ],
    });
    const question = [
      { type: 'text', text: 'what?' } as const,
      { type: 'image', image: pngOf(100) } as const,
    ];
    expect(() => checkTakesMedia(loaded, 'react', question)).toThrow(/kind zero-shot.*structured-chat/u);
    expect(() => checkTakesMedia(loaded, 'legacy', question)).toThrow("give it api: 'chat'");
    expect(() => checkTakesMedia(loaded, 'talker', question)).not.toThrow();
  });
});
