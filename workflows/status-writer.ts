import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { ResolvedAgent } from '../agent/calls.ts';
import { isOwnStatus } from '../agent/names.ts';
import type { RunStatus } from '../agent/vocabulary.ts';
import type { AgentRunInput } from './messages.ts';
import { ReloopAgent, ReloopStatus, fixedAttributes } from './run-attributes.ts';

export type StatusWriter = (status: RunStatus) => void;

const nothing: StatusWriter = () => undefined;

/**
 * Writes the search attributes that are missing: the agent and the session where the run's start did not bring them, and
 * the status while Temporal's own does not say it. A plain run that was started with its attributes writes none. An attribute
 * that the server does not know would block the workflow for good: those of a start it has accepted, and for a run without
 * them its resolution recorded whether they are registered.
 */
export function statusWriter(resolved: ResolvedAgent, input: AgentRunInput): StatusWriter {
  const { searchAttributes, manifest } = resolved;
  if (manifest.loopVersion < 5) return everyStatusWriter(searchAttributes, input);
  const { typedSearchAttributes: brought } = workflowInfo();
  if (brought.get(ReloopAgent) === undefined) {
    const missing = fixedAttributes(input.agent, input.session);
    if (!searchAttributes || missing.length === 0) return nothing;
    upsertSearchAttributes(missing);
  }
  let written: string | null = brought.get(ReloopStatus) ?? null;
  return (status) => {
    const value = isOwnStatus(status) ? status : null;
    if (value === written) return;
    upsertSearchAttributes([{ key: ReloopStatus, value }]);
    written = value;
  };
}

/** Of runs that began before loop version 5: every status, with the other attributes at first. */
function everyStatusWriter(registered: boolean, input: AgentRunInput): StatusWriter {
  const continued = input.from !== undefined && input.restart === undefined;
  let written: RunStatus | undefined = continued ? 'running' : undefined;
  return (status) => {
    if (!registered || status === written) return;
    upsertSearchAttributes([
      ...(written === undefined ? fixedAttributes(input.agent, input.session) : []),
      { key: ReloopStatus, value: status },
    ]);
    written = status;
  };
}
