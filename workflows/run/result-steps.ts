import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { isOneOfSeveral } from '../../agent/definition/handed-over.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import type { RunStep, TimelessEvent } from '../../agent/run/events.ts';
import { insertStep } from '../../agent/views/view.ts';

/** Events of a run without failures, waits, decisions and messages. Only history has all attempts of a failed call. */
const SMOOTH: readonly TimelessEvent['type'][] = [
  'run_started',
  'model_started',
  'model_ended',
  'action',
  'tool_started',
  'step',
  'used',
  'finish',
  'run_ended',
];

/** Collects the steps of a short run without waits or failures for the run's own result. The client then reads the result alone, and not the history. */
export class ResultSteps {
  #steps: RunStep[] | undefined = [];
  #bytes = 0;

  /** Steps of the run; undefined if only history has them. */
  get all(): RunStep[] | undefined {
    return this.#steps;
  }

  /** Leaves the steps out if results of other workers are among them: such a result does not say which attempt made it. */
  resolved(manifest: AgentManifest): void {
    if (isOneOfSeveral(manifest) || manifest.tools.some(({ external }) => external)) this.#steps = undefined;
  }

  add(event: TimelessEvent): void {
    if (this.#steps === undefined) return;
    if (!SMOOTH.includes(event.type)) this.#steps = undefined;
    // A call that the time limit has cut off has all its attempts in history only.
    else if (event.type === 'run_ended' && event.stopReason === 'max_execution_time') this.#steps = undefined;
    else if (event.type === 'step') this.#addStep(this.#steps, event.step);
  }

  #addStep(steps: RunStep[], step: RunStep): void {
    this.#bytes += jsonBytes(step);
    if (this.#bytes > limits.resultStepsBytes) this.#steps = undefined;
    else insertStep(steps, step);
  }
}
