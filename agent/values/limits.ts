/** Sizes no payload may pass. Temporal refuses 2 MB (and ends the run); everything here sums up to less than 1.6 MB. */
export const limits = {
  /** A question with its chat history. */
  questionBytes: 400_000,
  /** All questions of a batch that a workflow runs. */
  batchBytes: 1_000_000,
  /** The images and files of a question, together: with the question they fit into Temporal's limit for a start, 2 MB. */
  mediaBytes: 1_500_000,
  /** Texts, images and files of a question. */
  questionParts: 50,
  /** Characters of an image's URL; signed ones are long. */
  urlChars: 8_000,
  /** A manifest: prompts and tool schemas. */
  manifestBytes: 256_000,
  /** A model's reply, as JSON text. A longer one is cut and counts as cut by the provider. */
  replyBytes: 256_000,
  /** Tool calls in one reply. */
  replyCalls: 256,
  /** Tokens of one reply; a larger number is not a count. */
  replyTokens: 1e9,
  /** A model's reasoning before a reply, and the provider's data for the reply: each, as JSON text. */
  reasoningBytes: 100_000,
  /** Response of a service, a model's or an MCP server's, with everything around the reply. */
  responseBytes: 16_000_000,
  /** An observation up to this size travels in a model call's delta; a longer one is referred to. */
  inlineBytes: 500,
  /** Observations that no model call has carried when a run is continued as new. */
  handOverBytes: 128_000,
  /** An output or input that a person gives. */
  decisionBytes: 100_000,
  /** Time in which Temporal's client may repeat a request: 10 attempts, at most 5 s apart, and time-outs of connections. */
  repetitionMs: 120_000,
  /** Messages of people to a run that no model call has carried yet. */
  inboxBytes: 100_000,
  /**
   * Decisions and messages that one execution of a run takes. Temporal's server takes 2,000 updates (`history.maxTotalUpdates` of 1.29 to
   * 1.32), and after that no decision either. From the first number on, the run continues as new between two turns; from the second on,
   * it takes no messages.
   */
  wordsToContinue: 1_000,
  wordsWithMessages: 1_500,
  /** Data that a program or a command sends to a run; the run itself accepts less. */
  sentBytes: 1_000_000,
  /** Longest inline call; a longer one becomes an activity. */
  inlineMs: 1_000,
  /** Result of one inline call: it is recorded with the model's reply. */
  inlineResultBytes: 32_000,
  /** Results of the inline tools of one model call together. */
  inlineTurnBytes: 256_000,
  /** Longest wait for an approval function; after it a person is asked. */
  approvalMs: 30_000,
  /** Characters of a text in the record of a hook's change, and changes in one record. */
  changeChars: 500,
  changes: 20,
  /** Characters of an input, as JSON, that an approval may hold for during the rest of a run. */
  rememberedChars: 1_000,
  /** Steps in a run's own result, together, as JSON text: a reader of the result needs no history then. */
  resultStepsBytes: 32_000,
  /** A sub-agent's answer, and the rest of another worker's result that has to be cut. */
  externalBytes: 128_000,
  /** The context of a run, as JSON text. */
  contextBytes: 16_000,
  /** Tools that the caller of a run brings: their number, and all together as JSON text. */
  clientTools: 100,
  clientToolsBytes: 100_000,
  /** Temporal's priorities are 1 to 5, unless its server is told otherwise. */
  lastPriority: 5,
  /** The tenant of a run: Temporal takes no longer fairness key. */
  tenantBytes: 64,
  /** A tool's result. */
  resultBytes: 1_500_000,
  /** Transcript carried over continue-as-new instead of being read from the earlier run. */
  carriedBytes: 512_000,
  /** Entries that a run with compaction holds: the next compaction makes them few enough to be carried. */
  compactedBytes: 2_000_000,
  /** Observations and inputs that travel in place in one turn's delta, together. */
  turnBytes: 512_000,
  /** Payloads of the commands of one workflow task. The server takes tasks of up to 4 MB, commands included. */
  taskBytes: 3_000_000,
  /** Effects of dropped steps that a run remembers, together. */
  doneBytes: 512_000,
  /** Waiting calls in one signal from a sub-agent to its parent. */
  waitsBytes: 256_000,
  /** An input or output in the body of a webhook; a larger one is left out. */
  webhookBytes: 100_000,
  /** A tool's checkpoint for its next attempt. */
  checkpointBytes: 500_000,
  /** The checkpoints of all calls of a turn: Temporal terminates a run whose calls under way keep more than 8 MB. */
  checkpointsBytes: 6_000_000,
  /** Further room for the calls of other agents in one workflow. */
  checkpointReserveBytes: 1_000_000,
  /** Progress and an error beside a checkpoint, in ASCII; other text has what is left up to 8 MB. */
  besideCheckpointBytes: 8_000,
  /** Characters of an error's message; it is recorded several times. */
  errorChars: 4_000,
  errorTypeChars: 100,
  /** Characters of a progress text, and of a line of a tool's log. */
  progressChars: 4_000,
  /** Characters of a model's reasoning that readers see while the call is under way: the last ones. */
  shownReasoningChars: 4_000,
  logChars: 10_000,
  /** Levels of a JSON value. */
  jsonDepth: 500,
  /** Longest wait that a server may ask for before the next attempt; after a longer one there is no next attempt. */
  retryAfterMs: 15 * 60_000,
  /** The most that Temporal grants an attempt of a model call: its time-out, which the runner keeps, is one of silence. */
  modelAttemptMs: 24 * 3_600_000,
  /** Interval of rare heartbeats. If one is more than 4 s late, the attempt counts as lost. */
  frugalHeartbeatMs: 6_000,
  /** Longest time of a timer of Node. */
  timerMs: 2 ** 31 - 1,
  /** Longest wait for a person. */
  askMs: 365 * 24 * 3_600_000,
  /** Longest travel time of a request that a tool sent before its process died. */
  sentRequestMs: 5_000,
  /** Workers that may die in a row of one tool call before a person is asked: it may well be the tool that kills them. */
  workerDeathsInARow: 5,
  /** Attempts of a model call that may be held back by the model's outage or its limits: more than in a year. */
  heldBackAttempts: 10_000_000,
  /** Attempts lost to dying workers, on top of an activity's own. */
  workerDeathAllowance: 25,
} as const;

/** Characters of a token for a server of Reloop's. Shorter tokens can be guessed. */
export const LEAST_TOKEN_CHARS = 16;
