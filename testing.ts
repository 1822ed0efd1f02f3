/** `reloop/testing`: models that say what a test tells them to, a context for tools, and recorded runs as tests. */
export { type TestToolContext, toolContext } from './tools/test-context.ts';
export { scripted } from './models/scripted/scripted.ts';
export type { ScriptedModel } from './models/scripted/scripted.ts';
export { startScriptedServer } from './models/scripted/scripted-server.ts';
export type { ScriptedServer, ScriptedServerOptions } from './models/scripted/scripted-server.ts';
export type {
  RecordedRequest,
  Script,
  ScriptedReply,
  ScriptEntry,
  StepReplies,
} from './models/scripted/script.ts';
export { RecordedRunChanged, recordedRun } from './testing/recorded-run.ts';
export type { RecordedRunOptions, RecordedRunResult } from './testing/recorded-run.ts';
export type { RunDifference } from './testing/run-difference.ts';
export { type TestAgents, type TestAgentsOptions, testAgents } from './testing/test-agents.ts';
export type { TestConfigOptions } from './testing/test-config.ts';
export { RunWaits } from './testing/run-waits.ts';
export type { TestRunOptions } from './testing/test-run.ts';
