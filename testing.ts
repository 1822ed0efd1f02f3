/** `reloop/testing`: models that say what a test tells them to. */
export { scripted } from './models/scripted.ts';
export type { ScriptedModel } from './models/scripted.ts';
export { startScriptedServer } from './models/scripted-server.ts';
export type { ScriptedServer, ScriptedServerOptions } from './models/scripted-server.ts';
export type {
  RecordedRequest,
  Script,
  ScriptedReply,
  ScriptEntry,
  StepReplies,
} from './models/scripted-script.ts';
