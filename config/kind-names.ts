import type { AgentKind } from '../agent/definition/kind.ts';
import type { conversational } from '../agent/kinds/conversational.ts';
import type { structuredChat } from '../agent/kinds/structured-chat.ts';
import type { toolCalling } from '../agent/kinds/tool-calling.ts';
import type { zeroShot } from '../agent/kinds/zero-shot.ts';

interface BuiltInKinds {
  'zero-shot': typeof zeroShot;
  'structured-chat': typeof structuredChat;
  conversational: typeof conversational;
  'tool-calling': typeof toolCalling;
}

/** The name of a built-in kind. */
export type KindName = keyof BuiltInKinds;

/** The prompt texts that an agent of a kind may replace; any text of your own kind. */
export type PromptTexts<Kind> = Kind extends KindName
  ? { [name in TextOf<BuiltInKinds[Kind]>]?: string }
  : { [name: string]: string };

type TextOf<Kind> = Kind extends AgentKind<infer Text> ? Text : never;
