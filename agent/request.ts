import { EMPTY_DIGEST, extendDigest } from './digest.ts';
import type { AgentKind, ModelPrompt } from './kind.ts';
import type { RequestParams } from './manifest.ts';
import type { Conversation } from './transcript.ts';

/** One request to a model: everything that decides the reply. Printed as it is by `reloop show --prompt`. */
export interface ModelRequest {
  model: string;
  prompt: ModelPrompt;
  stop: string[];
  params: RequestParams;
}

/** What the model is asked, given all that was said: the same in the activity and in a later reader. */
export function renderRequest(kind: AgentKind, conversation: Conversation): ModelRequest {
  const { manifest } = conversation;
  const { model, stop, params } = manifest;
  return { model, prompt: kind.render(conversation), stop, params };
}

export function requestDigest(request: ModelRequest): string {
  return extendDigest(EMPTY_DIGEST, JSON.stringify(request));
}
