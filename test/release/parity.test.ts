import { describe, test } from 'vitest';
import { type PreparedCase, expected, prepare, readCases } from '../support/parity.ts';
import { useRig } from '../support/rig.ts';

/** What LangChain's AgentExecutor was recorded doing (test/parity/), done by Reloop. */
const kinds = ['zero-shot', 'structured-chat', 'conversational', 'tool-calling'].map((kind) => {
  const cases = readCases(kind).map((parity, place) => ({ parity, prepared: prepare(kind, place, parity) }));
  return { kind, cases };
});

const rig = useRig({ agents: kinds.flatMap(({ cases }) => cases.map(({ prepared }) => prepared.agent)) });

describe.each(kinds)('$kind does as AgentExecutor does with', ({ cases }) => {
  const [same, different] = [
    cases.filter(({ parity }) => parity.differs === undefined),
    cases.filter(({ parity }) => parity.differs !== undefined),
  ];

  test.concurrent.for(titled(same))('%s', async ([, parity, prepared], { expect }) => {
    expect(await prepared.run(rig)).toEqual(expected(parity));
  });

  test.concurrent.for(titled(different))('%s', async ([, parity, prepared], { expect }) => {
    expect(await prepared.run(rig)).toEqual(expected(parity));
    // A difference that is none any more is to be struck out.
    expect(expected(parity)).not.toEqual(parity.recorded);
  });
});

type Case = { parity: ReturnType<typeof readCases>[number]; prepared: PreparedCase };

function titled(cases: Case[]): [string, Case['parity'], PreparedCase][] {
  return cases.map(({ parity, prepared }) => {
    const reason = parity.differs === undefined ? '' : ` (differs: ${parity.differs.reason})`;
    return [parity.name + reason, parity, prepared];
  });
}
