import { setWorkflowOptions } from '@temporalio/workflow';
import { VERSIONED } from '../../agent/values/names.ts';
import { agentSession } from './agent-session.ts';

/**
 * A session lives for months, so it moves to the current version of its deployment, and starts its next run there. Other workflows stay on
 * the version that they began with, which is the default of our workers. The server refuses a behavior from a worker without a version.
 */
setWorkflowOptions(() => (VERSIONED in globalThis ? { versioningBehavior: 'AUTO_UPGRADE' } : {}), agentSession);

export { agentSession };
