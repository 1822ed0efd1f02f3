export { calculator } from './calculator.ts';
export { python, type PythonOptions } from './python.ts';
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
