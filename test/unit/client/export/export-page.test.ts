import { describe, expect, test } from 'vitest';
import type { RunExport } from '../../../../client/export/run-export.ts';
import { runPage } from '../../../../features/render/page/run-page.ts';
import { askedWith, exportOf } from '../../../support/exported.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';
import { textOf } from '../../../support/page-text.ts';
import {
  answers,
  atSeconds,
  decides,
  modelEnded,
  observes,
  waits,
  started,
} from '../../../support/run-events.ts';

const EVIL = `<xss>"><xss a='</pre></style></script><script>alert(1)</script><!--\u0000\u001b[31m\u202e&lt;`;

const finished = atSeconds(
  started,
  ...decides('1', 'Search', 'rain'),
  observes('1.1', 'Search', 'rain', 'It rains.'),
  ...answers('2', 'Rain.'),
);

/** A page of a run with these events, as text. */
const textFrom = (...events: Parameters<typeof atSeconds>) =>
  textOf(runPage(exportOf(atSeconds(started, ...events))));
const searching = decides('1', 'Search', 'x');
const waiting = [...searching, ...waits('1.1', 'Search', 'x')];

describe('the page of a run', () => {
  test('lasts until its latest event, which a turn beside a background call can have before others', () => {
    const ended = modelEnded('2', '', { type: 'finish', output: 'y' });
    const events = [...atSeconds(started, ...waiting), { ...ended, at: 2_000 }];
    const text = textOf(runPage(exportOf(events)));
    expect(text).toContain('Waiting for a person 0 ms');
    expect(text).toContain('UTC · 6.0 s');
  });

  test('shows question, answer, every step with its input and observation, and what it took', () => {
    const text = textOf(runPage(exportOf(finished)));
    for (const part of [
      'assistant completed',
      'Question What is the weather?',
      'Answer Rain.',
      'Steps 2',
      'Tokens 1,200 + 34 tokens',
      '1.1 Search done',
      'Input rain',
      'Observation It rains.',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('shows whatever models, tools and people wrote as text', () => {
    const page = runPage(hostile());
    const tags = new Set([...page.matchAll(/<\/?([a-z!][a-z0-9-]*)/giu)].map(([, name]) => name));
    expect([...tags].filter((name) => name === 'xss' || name === 'script')).toEqual([]);
    expect(page.match(/&lt;xss&gt;/gu)?.length).toBeGreaterThanOrEqual(20);
    expect(page).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u);
    // Once for the page itself.
    expect(page.match(/<\/style>/gu)).toHaveLength(1);
    expect(page).not.toContain('<!--');
  });

  test('shows a value that is not of the type it should have as JSON', () => {
    const exported = exportOf(finished);
    Object.assign(exported.run, { input: { markup: '<xss>' } });
    expect(textOf(runPage(exported))).toContain('Question { "markup": "<xss>" }');
  });

  test('asks for nothing from anywhere, and forbids it', () => {
    const page = runPage(hostile());
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<(?:script|img|link|iframe|object)\b|\ssrc=|url\(|@import/u);
    const links = [...page.matchAll(/href="([^"]*)"/gu)].map(([, link]) => link);
    expect(links.filter((link) => link?.startsWith('#') !== true)).toEqual([]);
  });

  const error = { type: 'Error', message: 'no' };
  const failed = { type: 'tool_failed', call: '1.1', error, attempts: 3 } as const;
  const skip = { type: 'decided', call: '1.1', decision: { type: 'skip', reason: 'not now' } } as const;
  const retry = { type: 'decided', call: '1.1', decision: { type: 'retry' } } as const;
  const again = { type: 'tool_started', call: '1.1', tool: 'Search', toolInput: 'x' } as const;
  const observed = observes('1.1', 'Search', 'x', 'ok');

  test.each<[string, Parameters<typeof atSeconds>, string]>([
    ['waits', waiting, 'waiting for a person'],
    ['runs', searching, 'running'],
    ['was skipped', [...waiting, skip, observed], 'skipped'],
    ['failed, of which the model was told,', [...searching, failed, observed], 'failed'],
    ['failed and was run again', [...waiting, retry, again, observed], 'done'],
  ])('says by a word that a call %s', (_, events, word) => {
    expect(textFrom(...events)).toContain(`1.1 Search ${word}`);
  });

  test('shows what a person gave with a decision, once', () => {
    const decided = { ...retry, decision: { type: 'retry', input: 'mended' } } as const;
    const observedAgain = observes('1.1', 'Search', 'mended', 'ok');
    const events = atSeconds(started, ...waiting, decided, { ...again, toolInput: 'mended' }, observedAgain);
    const text = textOf(runPage(exportOf(events, { decisions: [] })));
    expect(text).toContain('decided retry input mended');
    expect(text.split('mended')).toHaveLength(2);
  });

  test('shows a model call that failed and was made again as one step', () => {
    const busy = { type: 'Overloaded', message: 'busy' };
    const failedOnce = { type: 'model_failed', call: '1', error: busy, attempts: 5 } as const;
    const begun = { type: 'model_started', call: '1' } as const;
    const page = runPage(exportOf(atSeconds(started, begun, failedOnce, ...answers('1', 'Rain.'))));
    expect(page.match(/<details class="turn"/gu)).toHaveLength(1);
    expect(textOf(page)).toContain('failed after 5 attempts Overloaded: busy');
  });

  test('shows a sub-agent within the call that it is, its calls under names of their own', () => {
    const subAgents = [
      { call: '1.1', n: 0, id: 'run-1/1.1', export: exportOf(finished) },
      { call: '1.1', n: 1, id: 'run-1/1.1~1', export: null },
    ];
    const page = runPage(exportOf(finished, { subAgents }));
    const ids = [...page.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id);
    expect(ids).toEqual(['1', '1.1', '1.1/1', '1.1/1.1', '1.1/2', '2']);
    expect(textOf(page)).toContain('Sub-agent run-1/1.1~1 (schedule 2): there is no record of its run.');
  });

  test('shows that a sub-agent waits with its call, also where it was started again', () => {
    const wait = { call: '1.1~1/2.1', n: 0, tool: 'mail', toolInput: '', reason: 'failed' } as const;
    const text = textFrom(...searching, { type: 'waiting', wait });
    expect(text).toContain('waiting for a person: mail (1.1~1/2.1) failed');
  });

  test('shows the cost where prices are known', () => {
    const exported = exportOf(finished);
    expect(textOf(runPage(exported))).not.toContain('Cost');
    Object.assign(exported.run.usage, { cost: 0.0123 });
    expect(textOf(runPage(exported))).toContain('Cost $0.0123');
  });

  test('cuts a text that is too long for a page, and says so', () => {
    const observed = observes('1.1', 'Search', 'x', 'y'.repeat(80_000));
    const page = runPage(exportOf(atSeconds(started, ...searching, observed)));
    expect(page.match(/y{1000,}/gu)?.map(({ length }) => length)).toEqual([50_000]);
    expect(textOf(page)).toContain('30,000 more characters: `reloop export` without --html has them.');
  });

  test('is a page even where nothing is known of the run', () => {
    expect(runPage(exportOf([], { agents: [] }))).toContain('</html>');
  });
});

describe('requests on the page', () => {
  const prompt = `${'A line that every prompt begins with.\n'.repeat(20)}Thought:`;

  test('are shown whole the first time, and then by what is new', () => {
    const second = askedWith('2', `${prompt} I look.\nObservation: rain\nThought:`);
    const requests = [askedWith('1', prompt), second];
    const page = runPage(exportOf(finished, { requests }));
    expect(page.match(/A line that every prompt begins with\./gu)).toHaveLength(20);
    expect(textOf(page)).toContain(
      'The first 760 characters as in step 1, then: Thought: I look. Observation: rain Thought:',
    );
  });

  test('are shown whole where they begin otherwise than the one before', () => {
    const requests = [askedWith('1', prompt), askedWith('2', `Other. ${prompt}`)];
    const page = runPage(exportOf(finished, { requests }));
    expect(page.match(/A line that every prompt begins with\./gu)).toHaveLength(40);
  });

  test('are marked where they are rendered otherwise than they were sent', () => {
    const requests = [askedWith('1', 'a'), askedWith('2', 'b', false)];
    const text = textOf(runPage(exportOf(finished, { requests })));
    expect(text.split('otherwise than it was sent')).toHaveLength(2);
  });

  test('make a page that grows with the steps, and not with their square', () => {
    const bytes = (steps: number) => {
      const ids = Array.from({ length: steps }, (_, index) => String(index + 1));
      const requests = ids.map((id, index) => askedWith(id, prompt + ' I look.\nThought:'.repeat(index)));
      const events = atSeconds(started, ...ids.flatMap((id) => decides(id, 'Search', 'x')));
      return runPage(exportOf(events, { requests })).length;
    };
    expect(bytes(400)).toBeLessThan(2.2 * bytes(200));
  });
});

/** A run in which everybody writes markup, in every field that is a text of theirs. */
function hostile(): RunExport {
  const error = { type: EVIL, message: EVIL };
  const events = atSeconds(
    { ...started, id: EVIL, agent: EVIL, input: EVIL } as typeof started,
    { type: 'model_started', call: '1' },
    { type: 'model_failed', call: '1', error, attempts: 1 },
    ...decides('1', EVIL, EVIL),
    ...waits('1.1', EVIL, EVIL),
    { type: 'decided', call: '1.1', decision: { type: 'skip', reason: EVIL } },
    observes('1.1', EVIL, EVIL, { [EVIL]: EVIL }),
    ...answers('2', EVIL),
    {
      type: 'run_ended',
      status: 'failed',
      stopReason: 'error',
      output: EVIL,
      iterations: 2,
      usage: null,
      error,
    },
  );
  const manifest = sampleManifest({ name: EVIL, model: EVIL, tools: [sampleTool(EVIL, EVIL)] });
  const chatHistory = [{ role: 'user' as const, content: EVIL }];
  const question = { input: EVIL, chatHistory, variables: { [EVIL]: EVIL } };
  const exported = exportOf(events, {
    agents: [0, 1].map((scope) => ({ scope, manifest, question })),
    requests: [askedWith('1', EVIL), askedWith('2', EVIL, false)],
  });
  const run = { ...exported.run, id: EVIL, runId: EVIL };
  const within = { ...exported, run };
  return { ...within, subAgents: [{ call: '1.1', n: 0, id: `run/${EVIL}`, export: within }] };
}
