const FENCE = '```';

/**
 * Text between a first line of ``` or ```json and a last ```; without fences the text itself. Trimmed, in linear time.
 */
export function withoutFence(text: string): string {
  const trimmed = text.trim();
  const opened = trimmed.startsWith(FENCE) ? trimmed.slice(FENCE.length) : trimmed;
  const inner = opened !== trimmed && opened.startsWith('json') ? opened.slice('json'.length) : opened;
  return (inner.endsWith(FENCE) ? inner.slice(0, -FENCE.length) : inner).trim();
}
