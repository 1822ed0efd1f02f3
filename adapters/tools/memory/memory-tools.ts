import { z } from 'zod/v4';
import type { RunContext } from '../../../agent/definition/run-context.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { madeBy } from '../same-tool.ts';
import { type Tool, type ToolContext, ToolError, defineTool } from '../tool.ts';
import type { MemoryNamespace, MemoryStore } from './memory-store.ts';

const KEY_CHARS = 200;
const TEXT_CHARS = 4_000;
const RESULTS = 20;
const MAX_ENTRIES = 1_000;

export interface MemoryOptions {
  /** The place of the memories: `sqliteMemory(file)`, `postgresMemory(url)`, or your own store. */
  store: MemoryStore;
  /**
   * Owner of the memories within the tenant: a text of the run's context, such as `({ user }) => user`. If it returns no text, the call
   * fails. Default: all runs of a tenant share them.
   */
  scope?(context: RunContext): Json | undefined;
  /** Last part of the tools' names, for an agent with two memories. Default 'memory': `save_memory`, `recall_memory`, `forget_memory`. */
  name?: string | undefined;
  /** Entries of one owner. The model learns when there is no room for a new one. Default 1,000. */
  maxEntries?: number | undefined;
}

/**
 * Three tools by which an agent remembers texts over runs: it saves a text under a key of its choice, searches, and forgets. The run's
 * tenant always separates memories. The key makes a repeated save the same save.
 */
export function memory(options: MemoryOptions): Tool[] {
  const { store, scope, name = 'memory', maxEntries = MAX_ENTRIES } = options;
  const key = z.string().trim().min(1).max(KEY_CHARS);
  const save = defineTool({
    name: `save_${name}`,
    description:
      'Remembers a text for later conversations, under a short key such as "preferred language". The same key again replaces the text.',
    input: z.object({ key, text: z.string().min(1).max(TEXT_CHARS) }),
    async run({ key: saved, text }, ctx) {
      const entry = { key: storable(saved), text: storable(text), updatedAt: Date.now() };
      if (await store.put(await namespaceOf(ctx, scope), entry, maxEntries)) return 'Saved.';
      throw new ToolError(
        `Not saved: there are ${maxEntries} memories already. Forget one, or replace one by its key.`,
      );
    },
  });
  const recall = defineTool({
    name: `recall_${name}`,
    description: `Searches the memories of earlier conversations by words. Returns up to ${RESULTS}, best first; where none fits, the latest.`,
    input: z.object({ query: z.string().default('') }),
    effects: 'none',
    async run({ query }, ctx) {
      const found = await store.search(await namespaceOf(ctx, scope), query, RESULTS);
      if (found.length === 0) return 'There are no memories.';
      return found.map(({ key: saved, text, updatedAt }) => ({
        key: saved,
        text,
        saved: new Date(updatedAt).toISOString().slice(0, 10),
      }));
    },
  });
  const forget = defineTool({
    name: `forget_${name}`,
    description: 'Removes the memory of a key.',
    input: z.object({ key }),
    async run({ key: removed }, ctx) {
      await store.delete(await namespaceOf(ctx, scope), storable(removed));
      return 'Nothing is remembered under this key now.';
    },
  });
  return [save, recall, forget].map((tool) => madeBy(memory, { ...options, tool: tool.name }, tool));
}

async function namespaceOf(
  { context, tenant }: Pick<ToolContext, 'context' | 'tenant'>,
  scopeOf: MemoryOptions['scope'],
): Promise<MemoryNamespace> {
  const scope = scopeOf === undefined ? '' : scopeOf(context);
  if (typeof scope === 'string' && (scope !== '' || scopeOf === undefined))
    return { tenant: (await tenant()) ?? '', scope };
  throw Object.assign(
    new Error(
      'The `scope` of memory() returned no text for the context of this run, so nothing was read or stored. Start the run with the context that it needs.',
    ),
    { retryable: false },
  );
}

/** PostgreSQL stores no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}
