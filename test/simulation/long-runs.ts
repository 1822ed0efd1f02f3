import type { AgentDefinition } from '../../config/define.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { WorldKind } from './world-model.ts';

/** Features of runs that grow long: summaries of old turns, and a second agent that takes the conversation over. */
export interface LongRuns {
  top: Pick<AgentDefinition, 'compaction'>;
  helper: Pick<AgentDefinition, 'compaction'>;
  second: SecondAgent | undefined;
  /** The model's server counts tokens. */
  counts: boolean;
}

interface SecondAgent {
  kind: WorldKind;
  options: Pick<AgentDefinition, 'compaction'> & { handoffs: string[] };
  /** Names of its tools. */
  tools: string[];
  /** The first version of the config that does not have the agent. */
  until: number;
}

interface FirstAgent {
  kind: WorldKind;
  /** Names of its tools. */
  names: readonly string[];
  profile: Profile;
}

const [COMPACTION, HANDOFFS] = [0.2, 0.15];

export function longRuns(random: Random, { kind, names, profile }: FirstAgent): LongRuns {
  const { compaction = COMPACTION, handoffs = HANDOFFS } = profile;
  const summaries = () => (random.chance(compaction) ? { compaction: someCompaction(random) } : {});
  const [top, helper, counts] = [summaries(), summaries(), random.chance(0.7)];
  return { top, helper, counts, second: random.chance(handoffs) ? secondAgent() : undefined };

  function secondAgent(): SecondAgent {
    const own = random.of<WorldKind>([kind, kind, 'tool-calling', 'structured-chat']);
    // An agent without a chat history takes nothing over from an agent that has one.
    const mayReturn = kind !== 'zero-shot' || own === kind;
    return {
      kind: own,
      options: { ...summaries(), handoffs: mayReturn ? ['top'] : [] },
      tools: random.some(names, random.int(1, names.length)),
      until: random.chance(0.3) ? random.int(1, 2) : Infinity,
    };
  }
}

/** Small windows, so that short runs fill them. */
function someCompaction(random: Random) {
  return { window: random.of([100, 300, 1000]), at: random.of([0.5, 0.9]), keep: random.int(1, 4) };
}
