import { expect, test } from 'vitest';
import { type WorkerPart, withWorkerParts } from '../../../../gateway/replies/worker-parts.ts';

/** A part that has come, or the seconds until the next one. */
function partsOf(parts: readonly (string | Promise<string>)[]): AsyncGenerator<string> {
  return (async function* () {
    for (const part of parts) yield await part;
  })();
}

async function allOf(parts: AsyncGenerator<string>, isMissing: () => boolean, isWorking = true) {
  const all: string[] = [];
  let looks = 0;
  const look = async () => {
    looks++;
    return isMissing();
  };
  const wrap = ({ isThere }: WorkerPart) => (isThere ? 'there' : 'missing');
  for await (const part of withWorkerParts(parts, look, { isWorking: () => isWorking, wrap, lookMs: 5 }))
    all.push(part);
  return { all, looks };
}

const later = (part: string, ms = 100) => new Promise<string>((resolve) => setTimeout(resolve, ms, part));

test('a worker that is missing while nothing comes is told once, and so is the one that comes', async () => {
  const { all, looks } = await allOf(partsOf(['a', later('b'), 'c']), () => true);
  expect(all).toEqual(['a', 'missing', 'there', 'b', 'c']);
  expect(looks).toBeGreaterThan(1);
});

test('a worker that takes its time is not missing', async () => {
  expect((await allOf(partsOf([later('a')]), () => false)).all).toEqual(['a']);
});

test('a server that cannot be asked says nothing', async () => {
  const failing = () => {
    throw new Error('unreachable');
  };
  expect((await allOf(partsOf([later('a')]), failing)).all).toEqual(['a']);
});

test('nobody looks while the run waits for a person', async () => {
  expect(await allOf(partsOf([later('a')]), () => true, false)).toEqual({ all: ['a'], looks: 0 });
});
