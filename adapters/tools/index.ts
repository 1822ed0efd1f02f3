export { type AgentToolOptions, agentTool } from './agent-tool.ts';
export { type HumanOptions, human } from './human.ts';
export { calculator } from './calculator/calculator.ts';
export { type ElasticsearchOptions, elasticsearch } from './search/elasticsearch.ts';
export { type ExternalToolOptions, externalTool } from './external.ts';
export { type LangChainTool, fromLangChain } from './foreign/from-langchain.ts';
export { type VercelTool, fromVercel } from './foreign/from-vercel.ts';
export { type HttpOptions, http } from './http/http.ts';
export { mcp, type McpOptions } from './mcp/mcp.ts';
export type { McpEndpoint, McpProcess, McpServer } from './mcp/server-spec.ts';
export { inProcessMemory } from './memory/in-process-memory.ts';
export { type MemoryOptions, memory } from './memory/memory-tools.ts';
export type { MemoryEntry, MemoryNamespace, MemoryStore } from './memory/memory-store.ts';
export { postgresMemory } from './memory/postgres-memory.ts';
export { sqliteMemory } from './memory/sqlite-memory.ts';
export { python, type PythonOptions } from './python/python.ts';
export type { RunContext } from '../../agent/definition/run-context.ts';
export { type SearchOptions, search } from './search/search.ts';
export {
  type Approval,
  type ApprovalContext,
  type AskTimeoutOption,
  type EarlierCall,
  type Reconcile,
  type Reconciled,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolRetry,
  ToolError,
  ToolInputError,
  defineTool,
} from './tool.ts';
