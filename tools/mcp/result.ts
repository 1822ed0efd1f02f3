import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { ToolError } from '../tool.ts';

type Part = CallToolResult['content'][number];

/**
 * What a call gave: its texts, else its structured result. Throws ToolError for an error that is meant for the model; `hide`
 * takes secrets out of it.
 */
export function outputOf(
  { content, structuredContent, isError }: CallToolResult,
  hide: (text: string) => string,
): string {
  const text = content.map(partText).join('\n');
  if (isError === true) throw new ToolError(hide(text) || undefined);
  return text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
}

export function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? share : `${message} (${share})`;
}

function partText(part: Part): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
  return JSON.stringify(part, (key, value: unknown) =>
    (key === 'data' || key === 'blob') && typeof value === 'string'
      ? `${value.length} characters of base64`
      : value,
  );
}
