/** `reloop/testing`: models that say what a test scripts, a context for tools, and recorded runs as tests. */
export { type TestToolContext, toolContext } from '../../adapters/tools/test-context.ts';
export { scripted } from '../../adapters/models/scripted/scripted.ts';
export type { ScriptedModel } from '../../adapters/models/scripted/scripted.ts';
export { startScriptedServer } from '../../adapters/models/scripted/scripted-server.ts';
export type {
  ScriptedServer,
  ScriptedServerOptions,
} from '../../adapters/models/scripted/scripted-server.ts';
export type {
  RecordedRequest,
  Script,
  ScriptedReply,
  ScriptEntry,
  StepReplies,
} from '../../adapters/models/scripted/script.ts';
export { RecordedRunChanged, recordedRun } from './recorded-run.ts';
export type { RecordedRunOptions, RecordedRunResult } from './recorded-run.ts';
export type { RunDifference } from './run-difference.ts';
export { type TestAgents, type TestAgentsOptions, testAgents } from './test-agents.ts';
export type { TestConfigOptions } from './test-config.ts';
export { RunWaits } from './run-waits.ts';
export type { TestRunOptions } from './test-run.ts';
