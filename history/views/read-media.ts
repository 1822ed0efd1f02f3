import type { Client } from '@temporalio/client';
import type { MediaRef } from '../../agent/values/content.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { sendSignal } from '../../workflows/messages.ts';
import { readFacts, readStart } from '../read/facts.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';
import type { LaterArguments } from '../read/payloads.ts';

/** Reads the bytes of a question's image. `run`: the run whose transcript refers to it. Undefined: the image is past retention. */
export async function readMedia(
  client: Client,
  run: RunRef,
  { workflowId = run.workflowId, runId = run.runId, message, index }: MediaRef,
): Promise<Uint8Array | undefined> {
  try {
    const recorder = { workflowId, runId };
    const images =
      message === undefined
        ? (await readStart(client, recorder))?.laterArguments
        : await imagesOfMessage(client, recorder, message);
    const image = await images?.(index);
    return image instanceof Uint8Array ? image : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function imagesOfMessage(
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
