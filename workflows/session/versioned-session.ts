import { setWorkflowOptions } from '@temporalio/workflow';
import { agentSession } from './agent-session.ts';

/** Set by `versionedBundle` in the code of a worker that has a version. */
declare const reloopVersioned: true | undefined;

/**
 * A session lives for months, so it moves to the current version, and its next run begins there. Other workflows stay on the version that
 * they began with: that is the default of our workers. The server refuses this option from a worker without a version.
 */
setWorkflowOptions(
  () => (typeof reloopVersioned === 'undefined' ? {} : { versioningBehavior: 'AUTO_UPGRADE' }),
  agentSession,
);

export { agentSession } from './agent-session.ts';
