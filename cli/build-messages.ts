import { readFileSync } from 'node:fs';

/** Parts of Temporal's client that no command of the bundle calls, and a list of all messages. */
const UNUSED =
  /@temporalio\/(?:client\/lib\/(?:activity|async-completion|nexus|task-queue)-client|proto\/lib\/payload-visitor\.generated)\.js$/u;

/** A message, an enum, a service or a package, as protobufjs writes it. */
export interface Messages {
  fields?: { [name: string]: { type: string } };
  values?: object;
  methods?: { [name: string]: { requestType: string; responseType: string } };
  nested?: { [name: string]: Messages };
}

/**
 * Reduces Temporal's messages to those that the code in these files needs: requests and responses of the methods that it calls, messages that it
 * names, and all that are in them. A third of all: each command has to make every one.
 */
export function neededMessages(root: Messages, files: readonly string[]): Messages {
  const code = files.filter((file) => !UNUSED.test(file)).map((file) => readFileSync(file, 'utf8'));
  const wordsOf = (pattern: RegExp) => new Set(code.flatMap((text) => text.match(pattern) ?? []));
  const called = wordsOf(/(?<=\.)[a-z]\w+/gu);
  const named = wordsOf(/\b(?:google|temporal)(?:\.[a-z]\w*)+\.[A-Z]\w*/gu);
  const needed = new Set<Messages>();
  for (const { entry, path } of entriesIn(root)) {
    if (named.has(path)) need(entry, path);
    for (const [name, { requestType, responseType }] of Object.entries(entry.methods ?? {})) {
      if (called.has(name.charAt(0).toLowerCase() + name.slice(1))) {
        for (const type of [requestType, responseType]) needType(type, path);
      } else delete entry.methods?.[name];
    }
  }
  keepNeeded(root);
  return root;

  function need(entry: Messages, path: string): void {
    if (needed.has(entry)) return;
    needed.add(entry);
    for (const { type } of Object.values(entry.fields ?? {})) needType(type, path);
  }

  /** A name is looked up from the inside to the outside; that of a number or a text is found nowhere. */
  function needType(name: string, scope: string): void {
    const places = scope.split('.');
    for (let length = places.length; length >= 0; length--) {
      const path = [...places.slice(0, length), ...name.split('.')].filter((part) => part !== '');
      const entry = path.reduce<Messages | undefined>((found, part) => found?.nested?.[part], root);
      if (entry !== undefined) return need(entry, path.join('.'));
    }
  }

  function keepNeeded({ nested = {} }: Messages): void {
    for (const [name, entry] of Object.entries(nested)) {
      keepNeeded(entry);
      const isEmpty = Object.keys(entry.nested ?? {}).length === 0;
      if (!needed.has(entry) && entry.methods === undefined && isEmpty) delete nested[name];
    }
  }
}

function* entriesIn({ nested = {} }: Messages, inside = ''): Generator<{ entry: Messages; path: string }> {
  for (const [name, entry] of Object.entries(nested)) {
    const path = inside === '' ? name : `${inside}.${name}`;
    yield { entry, path };
    yield* entriesIn(entry, path);
  }
}
