import { conversational } from './conversational.ts';
import type { AgentKind } from '../definition/kind.ts';
import { structuredChat } from './structured-chat.ts';
import { toolCalling } from './tool-calling.ts';
import { zeroShot } from './zero-shot.ts';

/** The one list: a new kind is a file beside this one and a name here. */
export const builtInKinds: readonly AgentKind[] = [zeroShot, structuredChat, conversational, toolCalling];

/** A built-in kind, as a base for a custom one. Throws for an unknown name. */
export function builtInKind(name: string): AgentKind {
  const found = builtInKinds.find((kind) => kind.name === name);
  if (found !== undefined) return found;
  const known = builtInKinds.map((kind) => kind.name).join(', ');
  throw new Error(`There is no built-in kind "${name}". There are: ${known}.`);
}
