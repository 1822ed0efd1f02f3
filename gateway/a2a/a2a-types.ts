/** JSON of A2A 1.0, as far as a task needs it. The protocol's SDK makes the JSON of version 0.3 of the same. */

export type TaskState =
  `TASK_STATE_${'SUBMITTED' | 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'CANCELED'}`;

export type JsonPart = { text: string } | { data: unknown };

export interface AgentMessage {
  messageId: string;
  taskId: string;
  contextId: string;
  role: 'ROLE_AGENT';
  parts: JsonPart[];
}

export interface TaskStatus {
  state: TaskState;
  message?: AgentMessage;
}

export interface Artifact {
  artifactId: string;
  parts: JsonPart[];
}

export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  metadata?: { stopReason: string };
}

/** An event of a stream. `append`: the parts come after those that the client has; otherwise the artifact replaces the client's. */
export type TaskUpdate =
  | { task: Task }
  | { statusUpdate: { taskId: string; contextId: string; status: TaskStatus } }
  | { artifactUpdate: { taskId: string; contextId: string; artifact: Artifact; append: boolean } };
