import { modelCallOf } from './call-path.ts';
import { scopeOf } from './calls.ts';
import { takingOver, withModelOf } from '../definition/handed-over.ts';
import { type Entry, agentOf } from '../transcript/entries.ts';
import type { AgentManifest } from '../definition/manifest.ts';

/** The agents of a run: the one that has the conversation of each scope, and all that had the run's own, by name. */
export class RunAgents {
  readonly #current = new Map<number, AgentManifest>();
  /** The agents that a scope has had, or is about to have, by name. */
  readonly #named = new Map<number, Map<string, AgentManifest>>();
  /** The agent of each turn in which background calls may have begun, by its model call. */
  readonly #askedAt = new Map<string, AgentManifest>();

  /** Agents that had the conversation of the run, or are about to have it. */
  get named(): ReadonlyMap<string, AgentManifest> {
    return this.#namedIn(0);
  }

  get(scope: number): AgentManifest | undefined {
    return this.#current.get(scope);
  }

  /** The model has replied to a call. Background calls of the turn keep its agent. */
  replied(call: string): void {
    const agent = this.get(scopeOf(call));
    if (agent?.tools.some(({ background }) => background === true) === true) this.#askedAt.set(call, agent);
  }

  /** Returns the agent that made a tool call. */
  agentOf(call: string): AgentManifest | undefined {
    return this.#askedAt.get(modelCallOf(call)) ?? this.get(scopeOf(call));
  }

  /** Returns true if background calls may be under way: the agents of the scope have such tools. */
  haveBackground(scope = 0): boolean {
    const agents = [...this.#namedIn(scope).values()];
    return agents.some((agent) => agent.tools.some(({ background }) => background === true));
  }

  /** The agent has the conversation from now on. undefined: nothing changes. */
  set(manifest: AgentManifest | undefined, scope = 0): void {
    if (manifest === undefined) return;
    this.#current.set(scope, manifest);
    this.#namedIn(scope).set(manifest.name, manifest);
  }

  /** A definition is resolved. Of a fork with another model, only the model is new; another agent is about to take the run over. */
  resolved(manifest: AgentManifest, scope: number): void {
    const pinned = this.get(scope);
    if (pinned === undefined) this.set(manifest, scope);
    else if (pinned.name === manifest.name) this.set(withModelOf(pinned, manifest), scope);
    else if (!this.#namedIn(scope).has(manifest.name))
      this.#namedIn(scope).set(manifest.name, takingOver(manifest, pinned));
  }

  /** Adds agents that had the conversation before. */
  addEarlier(manifests: readonly AgentManifest[] = []): void {
    for (const manifest of manifests) this.#namedIn(0).set(manifest.name, manifest);
  }

  /** The run is back at a step. */
  rewound({ agent, pending }: { agent?: string | undefined; pending: readonly Entry[] }): void {
    if (agent !== undefined) this.set(this.#namedIn(0).get(agent));
    this.set(agentOf(pending)?.manifest);
  }

  #namedIn(scope: number): Map<string, AgentManifest> {
    const named = this.#named.get(scope) ?? new Map<string, AgentManifest>();
    this.#named.set(scope, named);
    return named;
  }
}
