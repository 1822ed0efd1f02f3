import type { RunFact } from '../../agent/run/run-fact.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { qualifyMediaRefs } from '../../agent/start/media-refs.ts';
import type { Entry, QuestionEntry } from '../../agent/transcript/entries.ts';
import type { Fact } from '../../history/read/fact.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import type { ExportedAgent, ExportedQuestion } from './run-export.ts';

/** The run that a call of a sub-agent is, each time the call was scheduled. */
export interface SubAgentRun {
  call: string;
  n: number;
  id: string;
}

/** Reads the agents that ran in a history, their questions, and their sub-agents. `of`: the meaning of a fact for the run. */
export function createAgentReader() {
  const agents = new Map<number, ExportedAgent>();
  const subAgents = new Map<string, SubAgentRun>();

  return {
    next(fact: Fact, of: RunFact | undefined): void {
      switch (of?.type) {
        case 'started':
          return began(of);
        case 'read_scheduled':
          if (of.reads === 'agent') agentOf(of.scope);
          return;
        case 'resolved':
          return resolved(agentOf(of.scope), of.agent?.manifest);
        case 'model_scheduled':
          // The first model call of an agent carries the question; the input of the workflow around it may be anything.
          agentOf(of.scope).question ??= questionIn(of.input?.delta);
          return;
        case 'scheduled':
          if (fact.type === 'scheduled' && fact.of === 'child' && fact.name === AGENT_RUN)
            subAgents.set(fact.workId, { call: of.call, n: of.n, id: fact.workId });
          return;
        default:
      }
    },
    agents: () => [...agents.values()].sort((a, b) => a.scope - b.scope),
    /** `id`: of the workflow. A fork keeps steps of another workflow, whose sub-agents are not the fork's. */
    subAgents: (id: string) => [...subAgents.values()].filter((run) => run.id.startsWith(`${id}/`)),
  };

  function began({ input: run, workflowId, runId }: Extract<RunFact, { type: 'started' }>): void {
    if (run === undefined) return;
    const agent = agentOf(0);
    agent.manifest ??= run.manifest ?? null;
    agent.question ??=
      run.question === undefined
        ? questionIn(run.from?.entries)
        : questionOf({ ...run.question, input: qualifyMediaRefs(run.question.input, { workflowId, runId }) });
  }

  /** A later resolution is of a fork's other model, or of an agent that takes the run over and is not the run's own. */
  function resolved(agent: ExportedAgent, manifest: AgentManifest | undefined): void {
    if (agent.manifest === null || agent.manifest.name === manifest?.name)
      agent.manifest = manifest ?? agent.manifest;
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
