import type { Client } from '@temporalio/client';
import { partsUpTo } from './lineage.ts';
import { type RunRef, isNoWorkflow } from './pages.ts';

/**
 * Position of a reader in one run: after run event number `index` (from 0) of the history event `event`. `within`: the call that runs
 * the sub-agent, or ''.
 */
export interface Position {
  within: string;
  runId: string;
  event: number;
  index: number;
}

const WRITTEN = /^(?:([\w.~/]+)@)?([\da-f-]{36}):(\d{1,9}):(\d{1,9})$/u;

/** Writes positions as text: one for the run, and one for each sub-agent's run under way, `3.1@RUN:5:0,RUN:12:0`. */
export function writePositions(positions: readonly Position[]): string {
  return positions
    .map(({ within, runId, event, index }) => `${within && `${within}@`}${runId}:${event}:${index}`)
    .join(',');
}

/** The inverse of {@link writePositions}; undefined for any other text. */
export function readPositions(text: string): Position[] | undefined {
  const positions = text.split(',').map((part) => {
    const [, within = '', runId = '', event, index] = WRITTEN.exec(part) ?? [];
    return { within, runId, event: Number(event), index: Number(index) };
  });
  return positions.every(({ runId }) => runId !== '') ? positions : undefined;
}

/** Selects the positions of the sub-agent that a call runs, relative to that sub-agent. */
export function positionsWithin(positions: readonly Position[], call: string): Position[] {
  return positions.flatMap((position) => {
    if (position.within === call) return [{ ...position, within: '' }];
    const deeper = `${call}/`;
    return position.within.startsWith(deeper)
      ? [{ ...position, within: position.within.slice(deeper.length) }]
      : [];
  });
}

/** The inverse of {@link positionsWithin}. */
export function positionsBelow(positions: readonly Position[], call: string): Position[] {
  return positions.map((position) => ({
    ...position,
    within: position.within === '' ? call : `${call}/${position.within}`,
  }));
}

/** Returns true for a position in this run, in a run that it continues, or in a run that continues it. Needs their histories. */
export async function isPositionOf(client: Client, run: RunRef, position: Position): Promise<boolean> {
  const other = { ...run, runId: position.runId };
  if (!(await leadsTo(client, other, run)) && !(await leadsTo(client, run, other))) return false;
  try {
    const handle = client.workflow.getHandle(other.workflowId, other.runId);
    return position.event <= (await handle.describe()).historyLength;
  } catch (error) {
    if (isNoWorkflow(error)) return false;
    throw error;
  }
}

async function leadsTo(client: Client, from: RunRef, to: RunRef): Promise<boolean> {
  if (from.runId === to.runId) return true;
  return (await partsUpTo(client, to)).some(({ run: { runId } }) => runId === from.runId);
}
