import type { ModelRequest } from '../../adapters/models/model.ts';
import { SUMMARY_REQUEST } from '../../agent/observation/observations.ts';
import { contentText } from '../../agent/values/content.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { RecordingModel } from './scripts.ts';

/** An agent that reads many long pages, each with a fact, and is asked about one of the facts. */

export const page = defineTool({
  name: 'page',
  description: 'a page',
  effects: 'none',
  run: (number) => pageText(Number(number)),
});

function pageText(number: number): string {
  return `fact ${number} is ${number * 7}. ${'x'.repeat(8_000)}`;
}

/** The texts of a request, one after the other. */
export function textOf({ prompt }: ModelRequest): string {
  if (prompt.type === 'text') return prompt.text;
  return prompt.messages
    .map(({ content, toolCalls }) => contentText(content) + JSON.stringify(toolCalls ?? ''))
    .join('\n');
}

export function tokensOf(request: ModelRequest): number {
  return Math.ceil(textOf(request).length / 4);
}

export function isSummaryRequest(request: ModelRequest): boolean {
  return textOf(request).includes(SUMMARY_REQUEST.slice(0, 60));
}

/**
 * A model that reads `pages` pages and then says what it knows about fact 3. A summary of it has the facts that it was shown. It
 * counts tokens, and reports the counts unless `counts` is false. `call`: its words for reading a page.
 */
export function reader(
  pages: number,
  { say, counts = true, summary, onSummary = () => undefined }: ReaderOptions,
): RecordingModel {
  const requests: RecordingModel['requests'] = [];
  return {
    requests,
    call(request, { step }) {
      requests.push({ step, request });
      const promptTokens = tokensOf(request);
      const facts = [...new Set(textOf(request).match(/fact \d+ is \d+/gu))];
      const next = Number.parseInt(step, 10);
      if (isSummaryRequest(request)) onSummary();
      const text = isSummaryRequest(request) ? (summary ?? facts.join('. ')) : undefined;
      const known = facts.find((fact) => fact.startsWith('fact 3 ')) ?? 'unknown';
      const reply =
        text !== undefined
          ? { text, toolCalls: [] }
          : next > pages
            ? say.answer(known)
            : say.read(String(next));
      const usage = { promptTokens, completionTokens: 10, totalTokens: promptTokens + 10 };
      return Promise.resolve({ ...reply, finishReason: 'stop', ...(counts && { usage }) });
    },
  };
}

type Reply = Pick<Awaited<ReturnType<RecordingModel['call']>>, 'text' | 'toolCalls'>;

export interface ReaderOptions {
  say: { read(page: string): Reply; answer(text: string): Reply };
  counts?: boolean;
  summary?: string;
  onSummary?(): void;
}
