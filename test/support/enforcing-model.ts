import type { RecordedRequest, Script, ScriptedReply } from '../../features/testing/index.ts';

export interface EnforcedLimits {
  rpm: number;
  tpm: number;
}

/** A request as the server took it, or refused it. */
export interface EnforcedRequest {
  at: number;
  tokens: number;
  refused: boolean;
  prompt: string;
}

export interface EnforcingModel {
  script: Script;
  requests: EnforcedRequest[];
}

const MINUTE = 60_000;

/**
 * A model that enforces limits as providers do: no minute, whenever it begins, has more requests or tokens than allowed. A request
 * beyond the limits gets 429 with `retry-after-ms`, and no answer.
 */
export function enforcingModel(
  { rpm, tpm }: EnforcedLimits,
  reply: (request: RecordedRequest) => ScriptedReply & { text: string },
): EnforcingModel {
  const requests: EnforcedRequest[] = [];
  const script = (request: RecordedRequest): ScriptedReply => {
    const at = Date.now();
    const lastMinute = requests.filter((one) => !one.refused && one.at > at - MINUTE);
    const used = lastMinute.reduce((sum, { tokens }) => sum + tokens, 0);
    const answer = reply(request);
    const { promptTokens = 0, completionTokens = 0 } = answer.usage ?? {};
    const tokens = promptTokens + completionTokens;
    const refused = lastMinute.length >= rpm || used + tokens > tpm;
    requests.push({ at, tokens, refused, prompt: request.prompt });
    const headers = {
      'x-ratelimit-remaining-requests': String(Math.max(0, rpm - lastMinute.length - 1)),
      'x-ratelimit-remaining-tokens': String(Math.max(0, tpm - used - tokens)),
    };
    return refused
      ? {
          status: 429,
          error: { message: 'Rate limit reached' },
          headers: { ...headers, 'retry-after-ms': '1000' },
        }
      : { ...answer, headers };
  };
  return { script, requests };
}
