import type { ToolManifest } from '../definition/manifest.ts';
import type { Json } from '../values/vocabulary.ts';

/** Marks at the beginning of a call, in the formats of open models (Hermes and Qwen, Mistral, Llama, DeepSeek). */
const MARKS = ['<tool_call>', '<|tool_call', '<｜tool▁call', '[TOOL_CALLS]', '<function=', '<|python_tag|>'];

/**
 * Returns true for an answer that is, or ends with, a call of a tool in the format of the model's template: the server did not read it. An answer that
 * explains such a format in a sentence is not a call.
 */
export function isCallAsText(answer: Json, tools: readonly ToolManifest[]): boolean {
  if (typeof answer !== 'string') return false;
  const said = answer.trim();
  return MARKS.some((mark) => {
    const at = said.startsWith(mark) ? 0 : said.indexOf(`\n${mark}`);
    return at >= 0 && tools.some(({ name }) => said.includes(name, at));
  });
}
