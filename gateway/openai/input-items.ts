import type { ResponseItem } from 'openai/resources/responses/responses';
import { z } from '@hono/zod-openapi';
import { type ChatMessage, contentText } from '../../client/index.ts';
import { bad } from '../http/read-body.ts';

/** A page of the items that a response was made from, as OpenAI's clients read it. */
export interface ItemPage {
  object: 'list';
  data: ResponseItem[];
  first_id: string;
  last_id: string;
  has_more: boolean;
}

const query = z.object({
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: z.string().optional(),
});

/** A page of messages, the latest first unless the query says otherwise. Throws Refused. */
export function itemPage(run: string, messages: readonly ChatMessage[], { url }: Request): ItemPage {
  const { data: asked, error } = query.safeParse(Object.fromEntries(new URL(url).searchParams));
  if (error !== undefined) {
    throw bad('`order` is asc or desc, `limit` a number from 1 to 100, and `after` the id of an item.');
  }
  const all = messages.map((message, index) => itemOf(`msg_${run}:in${index}`, message));
  if (asked.order === 'desc') all.reverse();
  const from = asked.after === undefined ? 0 : all.findIndex(({ id }) => id === asked.after) + 1;
  if (from === 0 && asked.after !== undefined) throw bad(`There is no item ${asked.after}.`);
  const data = all.slice(from, from + asked.limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more: from + data.length < all.length,
  };
}

function itemOf(id: string, { role, content }: ChatMessage): ResponseItem & { id: string } {
  const text = contentText(content);
  const common = { id, type: 'message', status: 'completed' } as const;
  return role === 'assistant'
    ? { ...common, role, content: [{ type: 'output_text', text, annotations: [], logprobs: [] }] }
    : { ...common, role: role === 'user' ? role : 'system', content: [{ type: 'input_text', text }] };
}
