import { parseActivityId } from '../../agent/calls/calls.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import type { Entry, QuestionEntry } from '../../agent/transcript/entries.ts';
import type { Fact, StartedFact } from '../../history/read/fact.ts';
import { asCallModelInput, asResolvedAgent } from '../../history/read/records.ts';
import { scheduledCall } from '../../history/read/scheduled-call.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import type { ExportedAgent, ExportedQuestion } from './run-export.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

/** The run that a call of a sub-agent is, each time the call was scheduled. */
export interface SubAgentRun {
  call: string;
  n: number;
  id: string;
}

/** The agents that ran in a history, their questions, and their sub-agents. */
export interface RecordedAgents {
  agents: ExportedAgent[];
  subAgents: SubAgentRun[];
}

/** `id`: of the workflow. */
export async function readAgents(id: string, facts: Iterable<Fact>): Promise<RecordedAgents> {
  const agents = new Map<number, ExportedAgent>();
  const subAgents = new Map<string, SubAgentRun>();
  const resolving = new Map<string, number>();

  for (const fact of facts) {
    if (fact.type === 'started') {
      resolving.clear(); // a new run counts its events from 1
      began(await fact.input(), fact);
    } else if (fact.type === 'scheduled' && fact.of === 'child') {
      const of = fact.name === AGENT_RUN ? scheduledCall(id, fact) : undefined;
      if (of !== undefined) subAgents.set(fact.workId, { call: of.call, n: of.n, id: fact.workId });
    } else if (fact.type === 'scheduled') {
      await scheduled(fact);
    } else if (fact.type === 'succeeded') {
      const scope = resolving.get(fact.key);
      if (scope !== undefined) resolved(agentOf(scope), asResolvedAgent(await fact.result())?.manifest);
    }
  }
  return {
    agents: [...agents.values()].sort((a, b) => a.scope - b.scope),
    subAgents: [...subAgents.values()],
  };

  function began(input: unknown, { workflowId, runId }: StartedFact): void {
    const run = asRunInput(input);
    if (run === undefined) return;
    const agent = agentOf(0);
    agent.manifest ??= run.manifest ?? null;
    agent.question ??=
      run.question === undefined
        ? questionIn(run.from?.entries)
        : questionOf({ ...run.question, input: qualifyImageRefs(run.question.input, { workflowId, runId }) });
  }

  async function scheduled(fact: Extract<Fact, { type: 'scheduled' }>): Promise<void> {
    const scope = parseActivityId(fact.workId)?.scope;
    if (scope === undefined) return;
    if (fact.name === 'resolveAgent') {
      agentOf(scope);
      resolving.set(fact.key, scope);
    }
    // The first model call of an agent carries the question; the input of the workflow around it may be anything.
    if (fact.name !== 'callModel' || agentOf(scope).question !== null) return;
    agentOf(scope).question = questionIn(asCallModelInput(await fact.input())?.delta);
  }

  /** A later resolution is of a fork's other model, or of an agent that takes the run over and is not the run's own. */
  function resolved(agent: ExportedAgent, manifest: AgentManifest | undefined): void {
    if (manifest === undefined || agent.manifest === null || agent.manifest.name === manifest.name)
      agent.manifest = manifest ?? null;
  }

  function agentOf(scope: number): ExportedAgent {
    const agent = agents.get(scope) ?? { scope, manifest: null, question: null };
    agents.set(scope, agent);
    return agent;
  }
}

function questionIn(entries: readonly Entry[] = []): ExportedQuestion | null {
  const asked = entries.find((entry) => entry.type === 'question');
  return asked === undefined ? null : questionOf(asked);
}

function questionOf({ input, chatHistory, variables = {} }: Omit<QuestionEntry, 'type'>): ExportedQuestion {
  return { input, chatHistory, variables };
}
