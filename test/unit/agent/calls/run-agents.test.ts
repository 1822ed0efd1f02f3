import { expect, test } from 'vitest';
import { RunAgents } from '../../../../agent/calls/run-agents.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

const baker = sampleManifest({ name: 'baker', tools: [sampleTool('bake', 'Bakes.', { background: true })] });
const host = sampleManifest({ name: 'host', tools: [sampleTool('set', 'Sets.')] });

test.each([0, 1])('an agent of runAgent number %i that hands over leaves its background calls', (scope) => {
  const agents = new RunAgents();
  agents.set(baker, scope);
  agents.set(host, scope);
  expect([agents.haveBackground(scope), agents.haveBackground(scope + 1)]).toEqual([true, false]);
});

test.each([0, 1])(
  'an agent that is about to take over has its background tools, in runAgent number %i',
  (scope) => {
    const agents = new RunAgents();
    agents.set(host, scope);
    expect(agents.haveBackground(scope)).toBe(false);
    agents.resolved(baker, scope);
    expect(agents.haveBackground(scope)).toBe(true);
  },
);
