/** Answer of a run to the tool that controls background calls. */
export interface ControlReport {
  /** Sentence for the model. */
  text: string;
  /** The call that this one cancels. */
  cancels?: string | undefined;
  /** The call whose progress is added to the text. `child`: workflow id of its sub-agent's run. */
  progressOf?: { call: string; child?: string | undefined } | undefined;
}
