export { type AgentToolOptions, agentTool } from './agent-tool.ts';
export { calculator } from './calculator.ts';
export { type ElasticsearchOptions, elasticsearch } from './elasticsearch.ts';
export { type ExternalToolOptions, externalTool } from './external.ts';
export { type LangChainTool, fromLangChain } from './from-langchain.ts';
export { type VercelTool, fromVercel } from './from-vercel.ts';
export { type HttpOptions, http } from './http.ts';
export { mcp, type McpOptions } from './mcp.ts';
export type { McpEndpoint, McpProcess, McpServer } from './mcp-server.ts';
export { python, type PythonOptions } from './python.ts';
export { type SearchOptions, search } from './search.ts';
export {
  type EarlierCall,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolRetry,
  ToolError,
  ToolInputError,
  defineTool,
} from './tool.ts';
