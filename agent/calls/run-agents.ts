import type { AgentManifest } from '../definition/manifest.ts';

/** The agents of a run: the one that has the conversation of each scope, and all that had the run's own, by name. */
export class RunAgents {
  readonly #current = new Map<number, AgentManifest>();
  readonly #named = new Map<string, AgentManifest>();

  get(scope: number): AgentManifest | undefined {
    return this.#current.get(scope);
  }

  /** The agent has the conversation from now on. undefined: nothing changes. */
  set(manifest: AgentManifest | undefined, scope = 0): void {
    if (manifest === undefined) return;
    this.#current.set(scope, manifest);
    if (scope === 0) this.#named.set(manifest.name, manifest);
  }

  /** A pinned agent stays: a fork with another model takes only the model from the config. */
  setFirst(manifest: AgentManifest | undefined, scope: number): void {
    if (this.get(scope) === undefined) this.set(manifest, scope);
  }

  /** Adds agents that had the conversation before. */
  addEarlier(manifests: readonly AgentManifest[] = []): void {
    for (const manifest of manifests) this.#named.set(manifest.name, manifest);
  }

  /** The run is back at a step of this agent. */
  setByName(name: string | undefined): void {
    if (name !== undefined) this.set(this.#named.get(name));
  }
}
