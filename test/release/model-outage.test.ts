import { afterAll, expect, test } from 'vitest';
import { runThroughOutage, startModelOutage } from '../support/model-outage.ts';
import { useRig } from '../support/rig.ts';

const AT_ONCE = 20;
const outage = await startModelOutage(AT_ONCE);
const rig = useRig(outage.config);
afterAll(() => outage.server.close());

test('200 calls during an outage send no more requests than were under way, and probes; all are answered afterwards', async () => {
  expect(await runThroughOutage(outage, rig, 200, AT_ONCE)).toEqual({ answered: 200, waited: 0 });
}, 400_000);
