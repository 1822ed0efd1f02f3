import { createRequire } from 'node:module';
import { isObject } from '../../../agent/values/json-object.ts';
import { requirePackage } from '../optional-package.ts';

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(.*?\r?\n)??---[ \t]*(?:\r?\n|$)/su;

/** Fields at the beginning of a SKILL.md. Throws an Error that names the file and the remedy. */
export function frontMatter(text: string, file: string): { name?: unknown; description?: unknown } {
  const written = FRONT_MATTER.exec(text);
  if (written === null) {
    throw new Error(
      `${file} does not begin with its name and description. Write them as YAML between two lines of "---".`,
    );
  }
  const fields = parseYaml(written[1] ?? '', file);
  if (isObject(fields)) return fields;
  throw new Error(
    `${file}: what stands between the lines of "---" has no fields. Write name: and description: there.`,
  );
}

/** The text after the front matter. */
export function bodyOf(text: string): string {
  return text.replace(FRONT_MATTER, '').trim();
}

/** Loads the package with the first skill: most projects have none. */
function parseYaml(text: string, file: string): unknown {
  requirePackage('yaml', 'skills');
  const { parse } = createRequire(import.meta.url)('yaml') as { parse(text: string): unknown }; // its types are for imports
  try {
    return parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${file}: its front matter is not YAML: ${reason.trim()} Put quotes around a text with a colon.`,
      { cause: error },
    );
  }
}
