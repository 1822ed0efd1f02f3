import { contentText } from '../../../agent/values/content.ts';
import type { ChatMessage } from '../../../agent/values/vocabulary.ts';
import type { ExportedRequest } from '../../../client/export/run-export.ts';
import { count } from '../words/amounts.ts';
import { folded, labelled, pre } from './blocks.ts';
import { type Html, html } from './html.ts';

/** Less than this is not worth a reference to an earlier request. */
const SHORTEST = 400;

/** A request, and the one before it of the same agent. */
export interface ShownRequest {
  asked: ExportedRequest;
  before: ExportedRequest | undefined;
}

/** Requests by call, the last of each: a call that was made again was asked the same. */
export function requestsByCall(requests: readonly ExportedRequest[] = []): Map<string, ShownRequest> {
  const shown = new Map<string, ShownRequest>();
  const latest = new Map<string, ExportedRequest>();
  for (const asked of requests) {
    const agent = asked.call.includes('/') ? asked.call.slice(0, asked.call.indexOf('/')) : '';
    const last = latest.get(agent);
    shown.set(asked.call, {
      asked,
      before: last?.call === asked.call ? shown.get(asked.call)?.before : last,
    });
    latest.set(agent, asked);
  }
  return shown;
}

/**
 * A request, folded. The part that it shares with the request before is replaced by a reference: a page would grow
 * with the square of the steps. The JSON file has each request whole.
 */
export function requestBlock({ asked, before }: ShownRequest): Html {
  const { model, stop, params, prompt } = asked.request;
  const parts = [
    asked.exact
      ? undefined
      : html`<p class="note">This version of Reloop renders this request otherwise than it was sent.</p>`,
    prompt.type === 'text' ? textBlock(asked, before) : messagesBlock(asked, before),
    toolsBlock(asked, before),
    labelled('Stop and parameters', html`<pre>${JSON.stringify({ stop, ...params })}</pre>`),
  ];
  return folded('Request', html`${parts.filter((part) => part !== undefined)}`, `to ${model}`);
}

function textBlock(asked: ExportedRequest, before: ExportedRequest | undefined): Html {
  const text = textOf(asked);
  const same = before === undefined ? 0 : commonLines(textOf(before), text);
  if (before === undefined || same < SHORTEST) return labelled('Prompt', pre(text));
  return labelled('Prompt', html`${asBefore(count(same, 'character'), before)}${pre(text.slice(same))}`);
}

function messagesBlock(asked: ExportedRequest, before: ExportedRequest | undefined): Html {
  const messages = messagesOf(asked);
  const earlier = before === undefined ? [] : messagesOf(before);
  const differs = messages.findIndex((message, index) => json(message) !== json(earlier[index]));
  const same = before === undefined ? 0 : differs < 0 ? messages.length : differs;
  const said = messages.slice(same).map(messageBlock);
  const reference = before === undefined || same === 0 ? undefined : asBefore(count(same, 'message'), before);
  return labelled('Messages', html`${reference}${said}`);
}

function messageBlock({ role, content, toolCalls = [], toolCallId }: ChatMessage): Html {
  const calls = toolCalls.map((call) => pre(json(call)));
  return html`<div class="message">
    <b>${role}</b
    >${toolCallId === undefined ? '' : html` <span class="dim">${toolCallId}</span>`}${content === null ? '' : pre(contentText(content))}${calls}
  </div>`;
}

function toolsBlock(
  { request: { prompt } }: ExportedRequest,
  before: ExportedRequest | undefined,
): Html | undefined {
  if (prompt.type === 'text' || prompt.tools === undefined || prompt.tools.length === 0) return undefined;
  const told = json({ tools: prompt.tools, toolChoice: prompt.toolChoice });
  const earlier = before?.request.prompt;
  const isSame =
    earlier?.type === 'messages' && json({ tools: earlier.tools, toolChoice: earlier.toolChoice }) === told;
  if (before !== undefined && isSame)
    return labelled('Tools', html`<p class="note">As in step ${before.call}.</p>`);
  return labelled('Tools', pre(JSON.stringify(prompt.tools, null, 2)));
}

function asBefore(what: string, { call }: ExportedRequest): Html {
  return html`<p class="note">The first ${what} as in step ${call}, then:</p>`;
}

function textOf({ request: { prompt } }: ExportedRequest): string {
  return prompt.type === 'text' ? prompt.text : '';
}

function messagesOf({ request: { prompt } }: ExportedRequest): ChatMessage[] {
  return prompt.type === 'messages' ? prompt.messages : [];
}

/** Number of characters that `b` has in common with `a` at its start, in whole lines. Searches by halves: there are megabytes of them. */
function commonLines(a: string, b: string): number {
  let [same, differs] = [0, Math.min(a.length, b.length) + 1];
  while (differs - same > 1) {
    const middle = Math.floor((same + differs) / 2);
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else differs = middle;
  }
  return same === b.length ? same : b.lastIndexOf('\n', same) + 1;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
