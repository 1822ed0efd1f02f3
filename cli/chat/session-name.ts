import { randomInt } from 'node:crypto';
import { SessionNotFound } from '../../client/errors.ts';
import { placeOfSession } from '../../client/place.ts';
import type { AgentClient } from '../../client/agent-client.ts';

const ADJECTIVES =
  'amber brave brisk calm clear clever cosy early eager fair fine gentle glad golden green happy keen kind light lively lucky mellow merry mild neat noble plain proud quick quiet rapid round sharp silver smooth sunny swift warm wise young';
const NOUNS =
  'alder badger beaver birch breeze brook cedar cliff cloud comet crane dune falcon fern field finch fjord fox harbor hare heron hill island lake lark maple meadow moon oak otter owl pine pond reef river robin stone swan thistle willow';

/** A name that is easy to type again, and that no open session has: `calm-otter`. */
export async function newSessionName({ temporal }: AgentClient): Promise<string> {
  for (let tries = 0; ; tries++) {
    const number = tries < 5 ? '' : `-${randomInt(100, 1000)}`;
    const name = `${oneOf(ADJECTIVES)}-${oneOf(NOUNS)}${number}`;
    try {
      await placeOfSession(temporal, name);
    } catch (error) {
      if (error instanceof SessionNotFound) return name;
      throw error;
    }
  }
}

function oneOf(words: string): string {
  const list = words.split(' ');
  return list[randomInt(list.length)] ?? '';
}
