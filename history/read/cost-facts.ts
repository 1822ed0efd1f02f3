import type { HistoryEvent } from './pages.ts';

/** An event that Temporal Cloud bills, and that other readers of a run ignore. */
export type CostFact =
  /** The run changed its search attributes. */
  | { type: 'attributes_upserted' }
  /** `task`: the workflow task that recorded the marker. */
  | { type: 'marked'; task: string };

/** The SDK's marker for `patched()`, and the search attribute that lists the patches. Neither is billed. */
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
