import type * as McpSdk from '@modelcontextprotocol/server';
import type { ProtocolRequest } from '../http/protocol.ts';

export type AgentServerOptions = Pick<ProtocolRequest, 'client' | 'caller' | 'agents'> &
  Partial<Pick<ProtocolRequest, 'report'>>;

/** MCP's SDK, which is loaded late. */
export type Sdk = typeof McpSdk;
