/** Names that all providers accept for a function (OpenAI: `^[a-zA-Z0-9_-]{1,64}$`). */
export const CALLABLE = /^[a-zA-Z0-9_-]{1,64}$/u;

const MOST_CHARS = 64;
/** A longer text is not a name with something around it. */
const MOST_WRITTEN = 200;

/** Name of a call without one. */
const UNNAMED = 'unnamed_tool';

/**
 * The tool that a model means by a name: the tool of this name, or of the name without what models write around it (blanks,
 * quotes, `[find]`, `functions.find`, `find()`, Kimi's `functions.find:0`, gpt-oss's `find<|channel|>commentary`). undefined: no such tool.
 */
export function toolNamed<T extends { name: string }>(name: string, tools: readonly T[]): T | undefined {
  const named = (known: string | undefined) => tools.find((tool) => tool.name === known);
  const exact = named(name);
  if (exact !== undefined || name.length > MOST_WRITTEN) return exact;
  const bare = name
    .replace(/<\|[\s\S]*$/u, '')
    .replace(/^[\s"'`“”‘’*<(]+/u, '')
    .replace(/[\s"'`“”‘’*>(),:;.]+$/u, '');
  const inNamespace = /^(?:functions?|tools?|default_api|multi_tool_use)[.:/]+(.*?)(?::\d+)?$/su.exec(
    bare,
  )?.[1];
  return named(bare) ?? named(inNamespace);
}

/** The name of an earlier call as a request repeats it: the tool that is meant, or the name with `_` for each character that providers refuse. */
export function nameToSend(name: string, tools: readonly { name: string }[]): string {
  const known = toolNamed(name, tools)?.name ?? name;
  if (CALLABLE.test(known)) return known;
  const bare = known
    .trim()
    .replaceAll(/[^a-zA-Z0-9_-]+/gu, '_')
    .slice(0, MOST_CHARS);
  return bare === '' ? UNNAMED : bare;
}
