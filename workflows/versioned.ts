import { setWorkflowOptions } from '@temporalio/workflow';
import { modelBudget } from './model-budget.ts';
import { modelLimits } from './model-limits.ts';
import { agentSession } from './session/agent-session.ts';
import { isVersioned } from './temporal/code-version.ts';
import { webhookDelivery } from './webhook-delivery.ts';

/**
 * Sessions live for months, the limits of a model and a budget are shared by the workers of all versions, and a delivery may last for days. So these workflows move to the current
 * version. Other workflows stay on the version that they started with: that is the default of our workers. The server refuses this option
 * from a worker without a version.
 */
const moves = () => (isVersioned ? { versioningBehavior: 'AUTO_UPGRADE' as const } : {});
setWorkflowOptions(moves, agentSession);
setWorkflowOptions(moves, modelBudget);
setWorkflowOptions(moves, modelLimits);
setWorkflowOptions(moves, webhookDelivery);

export { modelBudget } from './model-budget.ts';
export { modelLimits } from './model-limits.ts';
export { agentSession } from './session/agent-session.ts';
export { webhookDelivery } from './webhook-delivery.ts';
