/** The workflows a worker runs, and `runAgent` for workflows of your own. */
export { agentRun } from './agent-run.ts';
export { agentSession } from './agent-session.ts';
export { interceptors } from './call-header.ts';
export { type RunAgentOptions, runAgent } from './run-agent.ts';
export type { RunResult } from '../agent/run-result.ts';
