import { a2aProtocol, wellKnownProtocol } from './a2a/a2a-protocol.ts';
import { aguiProtocol } from './ag-ui/agui-protocol.ts';
import { aiSdkProtocol } from './ai-sdk/ai-sdk-protocol.ts';
import type { Protocol } from './http/protocol.ts';
import { inboxProtocol } from './inbox/inbox-protocol.ts';
import { mcpProtocol } from './mcp/mcp-protocol.ts';
import { openaiProtocol } from './openai/openai-protocol.ts';

/** Protocols of other programs that a gateway speaks. */
export const protocols: readonly Protocol[] = [
  mcpProtocol,
  openaiProtocol,
  aiSdkProtocol,
  aguiProtocol,
  a2aProtocol,
  wellKnownProtocol,
  inboxProtocol,
];
