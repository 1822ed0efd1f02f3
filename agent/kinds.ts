import { conversational } from './conversational.ts';
import type { AgentKind } from './kind.ts';
import { structuredChat } from './structured-chat.ts';
import { toolCalling } from './tool-calling.ts';
import { zeroShot } from './zero-shot.ts';

/** The one list: a new kind is a file beside this one and a name here. */
export const builtInKinds: readonly AgentKind[] = [zeroShot, structuredChat, conversational, toolCalling];
