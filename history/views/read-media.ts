import type { Client } from '@temporalio/client';
import type { MediaRef } from '../../agent/values/content.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { sendSignal } from '../../workflows/messages.ts';
import { readFacts, readStart } from '../read/facts.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';
import type { LaterArguments } from '../read/payloads.ts';

/** Reads the bytes of an image or a file of a question. `run`: the run whose transcript refers to it. Undefined: it is past retention. */
export async function readMedia(
  client: Client,
  run: RunRef,
  { workflowId = run.workflowId, runId = run.runId, message, index }: MediaRef,
): Promise<Uint8Array | undefined> {
  try {
    const recorder = { workflowId, runId };
    const media =
      message === undefined
        ? (await readStart(client, recorder))?.laterArguments
        : await mediaOfMessage(client, recorder, message);
    const bytes = await media?.(index);
    return bytes instanceof Uint8Array ? bytes : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function mediaOfMessage(
  client: Client,
  session: RunRef,
  id: string,
): Promise<LaterArguments | undefined> {
  for await (const fact of readFacts(client, session)) {
    if (fact.type !== 'signaled' || fact.name !== sendSignal.name) continue;
    if (fieldsOf(await fact.input())['id'] === id) return fact.laterArguments;
  }
  return undefined;
}
