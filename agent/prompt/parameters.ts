import type { JsonSchema } from '../definition/manifest.ts';
import { fieldsOf, isObject } from '../values/json-object.ts';
import type { Json, JsonObject } from '../values/vocabulary.ts';

/** Schemas are pinned with their agent, and each request shows them. */
const written = new WeakMap<JsonSchema, JsonSchema>();

/**
 * The schema of a tool's arguments as a request declares it. The tool checks its input by its own schema; this is what models are
 * shown, in the keywords that all servers take and read:
 * - an object with `properties`, and no combinations at the top (OpenAI and Anthropic refuse both),
 * - `enum` beside `const`, and `anyOf` for `oneOf` (Ollama 0.17 shows a model only type, items, description, enum, properties and
 *   anyOf),
 * - the definition in place of each `$ref`, unless a definition contains itself.
 *
 * Other schemas stay as they are.
 */
export function parametersOf(schema: JsonSchema): JsonSchema {
  let made = written.get(schema);
  if (made === undefined) written.set(schema, (made = write(schema)));
  return made;
}

function write(root: JsonSchema): JsonSchema {
  const whole = asObject(partOf(root, { root, room: { parts: MOST_PARTS } }));
  const { $defs: _, definitions: __, ...rest } = whole;
  return refsOf(rest).length === 0 ? rest : whole;
}

/** Definitions multiply when they are written out; a schema with more parts keeps the rest of its references. */
const MOST_PARTS = 2_000;

interface SchemaWalk {
  root: JsonSchema;
  room: { parts: number };
}

/** Fields with one schema, with a list of schemas, and with schemas by name. Other fields have values. */
const ONE = ['items', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'];
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

function partOf(part: Json, walk: SchemaWalk): Json {
  if (!isObject(part)) return part; // `true` and `false` are schemas too
  walk.room.parts--;
  const { $ref: ref, ...others } = part;
  const target = typeof ref === 'string' ? toWriteOut(ref, walk) : undefined;
  if (target !== undefined) return partOf({ ...target, ...others }, walk);
  const made: JsonObject = {};
  for (const [field, value] of Object.entries(part)) {
    const name = field === 'oneOf' && part['anyOf'] === undefined ? 'anyOf' : field;
    made[name] = valueOf(field, value, walk);
  }
  if ('const' in part && part['enum'] === undefined) made['enum'] = [part['const'] ?? null];
  return made;
}

function valueOf(field: string, value: Json, walk: SchemaWalk): Json {
  if (LIST.includes(field) && Array.isArray(value)) return value.map((part) => partOf(part, walk));
  if (ONE.includes(field)) return partOf(value, walk);
  if (!NAMED.includes(field) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, partOf(part, walk)]));
}

/** The definition to write in place of a reference; undefined: the reference stays. */
function toWriteOut(ref: string, { root, room }: SchemaWalk): JsonObject | undefined {
  return room.parts < 0 || containsItself(ref, root) ? undefined : definitionOf(ref, root);
}

function definitionOf(ref: string, root: JsonSchema): JsonObject | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    found = fieldsOf(found)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return isObject(found) ? found : undefined;
}

function containsItself(ref: string, root: JsonSchema): boolean {
  const seen = new Set<string>();
  const open = [ref];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const refs = refsOf(definitionOf(next, root) ?? {});
    if (refs.includes(ref) || refs.includes('#')) return true;
    open.push(...refs.filter((one) => !seen.has(one)));
    for (const one of refs) seen.add(one);
  }
  return false;
}

function refsOf(schema: JsonObject): string[] {
  const refs: string[] = [];
  const open: Json[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (Array.isArray(part)) open.push(...part);
    if (!isObject(part)) continue;
    if (typeof part['$ref'] === 'string') refs.push(part['$ref']);
    open.push(...Object.values(part));
  }
  return refs;
}

/** An object with properties. Those of combinations at the top become its own; which of them go together, the tool checks. */
function asObject(schema: Json): JsonObject {
  const { anyOf, oneOf, allOf, not: _, enum: __, const: ___, ...own } = fieldsOf(schema);
  const variants = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.map(asObject) : []));
  const together = Array.isArray(allOf) ? allOf.map(asObject) : [];
  const properties = [...variants, own].map((part) => fieldsOf(part['properties']));
  const required = [own, ...together].flatMap(({ required: names }) => (Array.isArray(names) ? names : []));
  return {
    ...own,
    type: 'object',
    properties: Object.assign({}, ...properties) as JsonObject,
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}
