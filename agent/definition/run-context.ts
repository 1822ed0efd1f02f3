import type { Json } from '../values/vocabulary.ts';

/** Facts that a program gives a run at its start, such as the user of the run. The model does not see them. */
export interface RunContext {
  readonly [name: string]: Json;
}

const PLACE = /\{context\.(\w+)\}/gu;

/** Values for the places `{context.name}` of prompt texts: fields that are a text, a number or a boolean. */
export function contextVariables(context: RunContext = {}): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(context).flatMap(([name, value]) =>
      value === null || typeof value === 'object' ? [] : [[`context.${name}`, String(value)]],
    ),
  );
}

/** The places `{context.name}` of prompt texts that the context has no value for. */
export function missingContext(
  prompt: { [name: string]: string },
  context: RunContext | undefined,
): string[] {
  const known = contextVariables(context);
  const places = [...Object.values(prompt).join('\n').matchAll(PLACE)].map(([, name]) => `context.${name}`);
  return [...new Set(places)].filter((place) => !Object.hasOwn(known, place)).map((place) => `{${place}}`);
}
