import { Client } from '@temporalio/client';
import type { Sender } from '../../agent/rules/sender.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { senderName, senderProblem } from '../../agent/start/sender-name.ts';
import { isObject } from '../../agent/values/json-object.ts';

/** The person in whose name a client sends decisions and messages. */
const senders = new WeakMap<Client, Sender>();
/** Milliseconds that the updates of a client wait for a worker. */
const patience = new WeakMap<Client, number>();

/** Options of a client in a person's name. */
export interface SenderOptions {
  /**
   * Milliseconds that decisions and messages wait for a worker to take them; RunNotTaking then. Default: as long as it takes. A web server
   * sets it, so that no request is held while no worker is there.
   */
  takenWithinMs?: number | undefined;
}

/** Makes a client over the same connection that sends decisions and messages in a person's name. */
export function clientOfSender(
  client: Client,
  sender: Sender,
  { takenWithinMs = patience.get(client) }: SenderOptions = {},
): Client {
  const own = new Client({ ...client.options, connection: client.connection });
  senders.set(own, sender);
  if (takenWithinMs !== undefined) patience.set(own, takenWithinMs);
  return own;
}

/** Returns the name of the client's sender, as a start records it; undefined for a client without one. Throws InvalidInput. */
export function senderOf(client: Client): string | undefined {
  const by = senders.get(client)?.by;
  const problem = senderProblem(by);
  if (problem !== undefined) throw new InvalidInput(problem);
  return senderName(by);
}

/** Adds the client's sender to the data of an update. A sender in the data comes first. */
export function withSender(client: Client, name: string, data: unknown): unknown {
  const sender = senders.get(client);
  if (sender === undefined) return data;
  if (data === undefined || isObject(data)) return { ...sender, ...data };
  const field = name === 'say' ? 'message' : name === 'rewind' ? 'step' : 'call';
  return { ...sender, [field]: data };
}

export function patienceOf(client: Client): number | undefined {
  return patience.get(client);
}
