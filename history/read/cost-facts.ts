import type { HistoryEvent } from './pages.ts';

/** What says nothing of what a run does, and is billed all the same. */
export type CostFact =
  /** Search attributes, in the course of the run. */
  | { type: 'attributes_upserted' }
  /** `task`: markers that one workflow task has recorded have the same. */
  | { type: 'marked'; task: string };

/** How the SDK marks calls of `patched()`, and the attribute that it notes them in: neither is billed. */
const PATCH_MARKER = 'core_patch';
const PATCH_ATTRIBUTE = 'TemporalChangeVersion';

export function costFact(event: HistoryEvent): CostFact | undefined {
  const marker = event.markerRecordedEventAttributes;
  if (marker && marker.markerName !== PATCH_MARKER)
    return { type: 'marked', task: String(marker.workflowTaskCompletedEventId) };
  const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
  return Object.keys(fields ?? {}).some((name) => name !== PATCH_ATTRIBUTE)
    ? { type: 'attributes_upserted' }
    : undefined;
}
