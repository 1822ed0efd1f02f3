import { readClientCall } from '../start/client-calls.ts';
import { readApprovalId } from './approval-id.ts';

/** Id of the message that a model call wrote. */
export function messageId(run: string, call: string): string {
  return `msg_${run}:${call}`;
}

/** Id of the item of a tool call. */
export function toolItemId(run: string, call: string): string {
  return `mcp_${run}:${call}`;
}

/** Id of the item of a call that the client carries out. `id`: that of the call. */
export function functionItemId(id: string): string {
  return `fc_${id}`;
}

/** The run that an output item is of; undefined for the id of another item. */
export function runOfItem(id: string): string | undefined {
  const ofClient = id.startsWith('fc_') ? readClientCall(id.slice('fc_'.length)) : undefined;
  return (readApprovalId(id) ?? ofClient)?.run ?? /^(?:msg|mcp)_(.+):[^:]+$/su.exec(id)?.[1];
}
