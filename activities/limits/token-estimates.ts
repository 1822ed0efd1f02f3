import { CHARS_PER_TOKEN } from '../../agent/definition/price.ts';
import { hasMedia, promptLength } from '../../agent/transcript/request.ts';
import type { ModelRequest } from '../../adapters/models/model.ts';

/** Estimates of the tokens of a request and its reply, from the lengths of prompts and the replies so far. */
export interface TokenEstimates {
  of(agent: string, request: ModelRequest): number;
  /** Takes in the tokens that the provider has counted, but those of a request with images or files. */
  learn(agent: string, request: ModelRequest, tokens: number): void;
}

/** Taken for the reply and the tools of an agent until its first reply has come. */
const FIRST_TOKENS = 256;
/** Weight of the latest reply. */
const LATEST = 0.2;

export function createTokenEstimates(): TokenEstimates {
  /** Mean tokens beside those of the prompt's text: the reply, the tools, and the error of the rule of thumb. */
  const beside = new Map<string, number>();
  return {
    of: (agent, request) => Math.max(1, ofPrompt(request) + Math.ceil(beside.get(agent) ?? firstOf(request))),
    learn(agent, request, tokens) {
      // The tokens of a PDF say nothing of the next request, and would hold up all that fit a budget without them.
      if (hasMedia(request)) return;
      const seen = tokens - ofPrompt(request);
      const before = beside.get(agent) ?? seen;
      beside.set(agent, before + LATEST * (seen - before));
    },
  };
}

function ofPrompt({ prompt }: ModelRequest): number {
  return Math.ceil(promptLength(prompt) / CHARS_PER_TOKEN);
}

function firstOf({ params }: ModelRequest): number {
  return Math.min(FIRST_TOKENS, params.maxTokens ?? FIRST_TOKENS);
}
