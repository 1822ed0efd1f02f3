import type { Protocol } from './http/protocol.ts';
import { openaiProtocol } from './openai/openai-protocol.ts';

/** Protocols of other programs that a gateway speaks. */
export const protocols: readonly Protocol[] = [openaiProtocol];
