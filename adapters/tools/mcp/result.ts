import type { Progress } from '@modelcontextprotocol/client';
import { z } from 'zod/v4';
import { ServiceError } from '../http/error.ts';
import { ToolError } from '../tool.ts';

/** A part of any kind, also an unknown one. */
const Part = z
  .looseObject({ type: z.string(), text: z.unknown().optional(), resource: z.looseObject({}).optional() })
  .refine(({ type, text }) => type !== 'text' || typeof text === 'string', {
    path: ['text'],
    error: 'a part of type "text" has no text',
  });
type Part = z.output<typeof Part>;

const Result = z.object({
  content: z.array(Part).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/**
 * The result of a call: its texts, and its structured content where the texts say less. Throws ToolError for an error for the model, and
 * ServiceError for an unreadable result: the call was made, so it is not repeated. `whose`: server and tool, for messages. `hide`: takes
 * secrets out of a message.
 */
export function outputOf(
  result: unknown,
  { whose, hide }: { whose: string; hide(text: string): string },
): string {
  const { data, error } = Result.safeParse(result);
  if (error !== undefined) {
    const message = `${whose} is not MCP: ${hide(problemIn(error))}. Correct the server.`;
    throw new ServiceError('ToolBadResponse', message, { retryable: false });
  }
  const { content, structuredContent, isError } = data;
  const text = content.map(partText).join('\n');
  if (isError === true) throw new ToolError(hide(text) || undefined);
  const json = structuredContent === undefined ? undefined : JSON.stringify(structuredContent, shortened);
  if (json === undefined || (content.length > 0 && saysAll(text, JSON.parse(json)))) return text;
  return [...(text === '' ? [] : [text]), json].join('\n');
}

/** Replaces the bytes of pictures and files, which say nothing to a model as a text. */
function shortened(_field: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length < LONG_TEXT) return value;
  const bytes = value.replace(/^data:[\w.+/-]+;base64,/u, '');
  return /^[\w+/-]+={0,2}$/u.test(bytes) ? base64Text(bytes) : value;
}

/** Longer than any word or id. */
const LONG_TEXT = 1_000;

function base64Text(bytes: string): string {
  return `${bytes.length} characters of base64`;
}

/** A text with every value of the structured content says as much; "2 items" does not. */
function saysAll(text: string, structured: unknown): boolean {
  if (structured === null || typeof structured !== 'object') return text.includes(String(structured));
  return Object.values(structured).every((value) => saysAll(text, value));
}

export function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? share : `${message} (${share})`;
}

/** The first problem, as a sentence's end. */
export function problemIn(error: { issues: readonly z.core.$ZodIssue[] }): string {
  const [first] = error.issues;
  if (first === undefined) return 'it has another shape';
  return z
    .prettifyError({ issues: [first] })
    .replace(/^✖ /u, '')
    .replace(/\s*→ at /u, ' at ');
}

const KNOWN = ['image', 'audio', 'resource', 'resource_link'];

function partText(part: Part): string {
  if (part.type === 'text') return String(part.text);
  const inside = part.resource?.['text'];
  if (part.type === 'resource' && typeof inside === 'string') return inside;
  const json = JSON.stringify(part, (key, value: unknown) =>
    (key === 'data' || key === 'blob') && typeof value === 'string' ? base64Text(value) : value,
  );
  return KNOWN.includes(part.type)
    ? json
    : `[content of the unknown kind ${JSON.stringify(part.type)}] ${json}`;
}
