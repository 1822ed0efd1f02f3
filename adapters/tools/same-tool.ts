import { isDeepStrictEqual } from 'node:util';
import type { Tool } from './tool.ts';

/** Origin of a tool: the function that made it, and its options. */
interface Origin {
  maker: unknown;
  options: unknown;
}

const origins = new WeakMap<Tool, Origin>();

/** Remembers the origin of `tool`, so that a second tool with the same options counts as the same. */
export function madeBy(maker: unknown, options: unknown, tool: Tool): Tool {
  origins.set(tool, { maker, options });
  return tool;
}

/** Both do the same: one object, or made by the same function of ours from equal options. Functions among them are equal only to themselves. */
export function isSameTool(one: Tool, other: Tool): boolean {
  if (one === other) return true;
  const [first, second] = [origins.get(one), origins.get(other)];
  return first !== undefined && second !== undefined && isDeepStrictEqual(first, second);
}
