import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { channelOf, nameOf } from '../../features/live/brokers.ts';
import { type LiveChannel, type LiveOption, topicOf } from '../../features/live/live-channel.ts';
import { type Check, ok, problem } from './check-result.ts';

const PATIENCE_MS = 3_000;

/** Sends a message through the side channel of live text to this process. Says nothing where none is configured. */
export async function checkLive(optionOf: () => LiveOption | undefined): Promise<Check[]> {
  const name = 'live text';
  try {
    const option = optionOf();
    return option === undefined ? [] : [await checkChannel(name, option)];
  } catch (error) {
    return [problem(name, 'the setting cannot be used', error)];
  }
}

async function checkChannel(name: string, option: LiveOption): Promise<Check> {
  let reason: unknown = new Error(`no message came back within ${PATIENCE_MS / 1000} s`);
  const channel = channelOf(option, (error) => (reason = error));
  const isOver = new AbortController();
  const late = sleep(PATIENCE_MS, undefined, { signal: isOver.signal }).then(() => Promise.reject(reason));
  try {
    const ms = await Promise.race([roundTrip(channel), late]);
    return ok(name, `${nameOf(option)} brings a message in ${ms} ms`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = `Start the broker, or correct live or RELOOP_LIVE_URL (${why}). Runs work without it: text comes with heartbeats`;
    return problem(name, `${nameOf(option)} cannot be used`, advice);
  } finally {
    isOver.abort();
    late.catch(() => undefined);
    await channel.close().catch(() => undefined);
  }
}

/** Milliseconds from a message's publication to its arrival. */
async function roundTrip(channel: LiveChannel): Promise<number> {
  const topic = topicOf(randomUUID());
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await channel.subscribe(topic, () => arrive());
  const sentAt = performance.now();
  await channel.publish(topic, 'doctor');
  await arrived;
  return Math.ceil(performance.now() - sentAt);
}
