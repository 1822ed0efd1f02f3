import type { ModelPrompt } from '../../agent/definition/kind.ts';
import { withoutEarlierMedia } from '../../agent/prompt/without-media.ts';
import { oneCallATurn } from '../../agent/prompt/one-call-a-turn.ts';
import { rolesInTurn } from '../../agent/prompt/roles-in-turn.ts';
import { validPrompt } from '../../agent/prompt/valid-prompt.ts';
import { withoutCalls } from '../../agent/prompt/without-calls.ts';
import { withoutSystem } from '../../agent/prompt/without-system.ts';
import type { MediaPart } from '../../agent/values/content.ts';
import type { ModelRequest } from './model.ts';
import { refusesAudio, refusesFiles, refusesImages, refusesTools } from './refusal-words.ts';

/** A form of the prompt that some models want and others do not need. */
export type Repair = 'images' | 'files' | 'audio' | 'calls' | 'ids' | 'turns' | 'system' | 'roles';

/** Repairs that each model needed so far, so that later calls need no second request. Lives as long as the adapter. */
export type KnownRepairs = Map<string, readonly Repair[]>;

/**
 * Asks a model, again with each repair that its refusal asks for. `refusal`: the provider's words, if the error is a refusal of the
 * request. Resolves to the answer, and a warning for each repair that the model was not known to need.
 */
export async function askWithRepairs<T>(
  request: ModelRequest,
  known: KnownRepairs,
  ask: (request: ModelRequest) => Promise<T>,
  refusal: (error: unknown) => string | undefined,
): Promise<{ answer: T; warnings: string[] }> {
  const before = known.get(request.model) ?? [];
  const rendered = validPrompt(request.prompt);
  let repairs = before;
  // Ends: each repair is made once.
  for (;;) {
    const prompt = repaired(rendered, repairs);
    try {
      const answer = await ask({ ...request, prompt });
      if (repairs !== before) known.set(request.model, repairs);
      return { answer, warnings: repairs.slice(before.length).map((one) => warningOf(request.model, one)) };
    } catch (error) {
      const words = refusal(error);
      const needed = words === undefined ? undefined : repairFor(words, prompt);
      if (needed === undefined || repairs.includes(needed)) throw error;
      repairs = [...repairs, needed];
    }
  }
}

function repaired(prompt: ModelPrompt, repairs: readonly Repair[]): ModelPrompt {
  return REPAIRS.reduce(
    (made, { repair, change }) => (repairs.includes(repair) ? change(made) : made),
    prompt,
  );
}

/** The repair that a refusal asks for; undefined where it would change nothing. */
function repairFor(words: string, prompt: ModelPrompt): Repair | undefined {
  const fitting = REPAIRS.filter(({ refusal }) => refusal(words));
  return fitting.find(({ change }) => JSON.stringify(change(prompt)) !== JSON.stringify(prompt))?.repair;
}

interface RepairRule {
  repair: Repair;
  refusal(words: string): boolean;
  change(prompt: ModelPrompt): ModelPrompt;
  warning: string;
}

/** Groq: "messages.1.content: value must be a string", of a content with parts. */
const WANTS_TEXT = /\bcontent\b[^\n]{0,40}\b(?:must|should) be (?:an? )?(?:valid )?string\b/iu;

/** Repairs, in the order in which they are made. */
const REPAIRS: readonly RepairRule[] = [
  {
    repair: 'images',
    refusal: (words) => refusesImages(words) || WANTS_TEXT.test(words),
    change: (prompt) => withoutEarlierMedia(prompt, ({ type }) => type === 'image'),
    warning: 'takes no images; earlier ones are described in words.',
  },
  {
    repair: 'files',
    refusal: (words) => refusesFiles(words) || WANTS_TEXT.test(words),
    change: (prompt) => withoutEarlierMedia(prompt, (part) => part.type === 'file' && !isAudio(part)),
    warning: 'takes no such files; earlier ones are described in words.',
  },
  {
    repair: 'audio',
    refusal: (words) => refusesAudio(words) || WANTS_TEXT.test(words),
    change: (prompt) => withoutEarlierMedia(prompt, isAudio),
    warning: 'takes no audio; earlier audio is described in words.',
  },
  {
    repair: 'calls',
    // Ollama: "NAME does not support tools", of a model that is only shown the calls of another agent. Bedrock and Anthropic want tools
    // beside calls, which @ai-sdk/anthropic leaves out where they may not be called: "must define tools".
    refusal: (words) =>
      refusesTools(words) ||
      /(?:not|un)\s?support(?:s|ed)?\b.*\b(?:tools?|functions?)\b|\b(?:tools?|toolConfig)\b[^\n]{0,20}\bmust be defined\b|\bmust define tools\b/iu.test(
        words,
      ),
    change: (prompt) => (onlyNamesTools(prompt) ? withoutCalls(prompt) : prompt),
    warning: 'takes no tools; calls of earlier agents are described in words.',
  },
  {
    repair: 'ids',
    // Mistral: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9"; Anthropic: "tool_use.id: String should match
    // pattern"; OpenAI: "'messages[2].tool_calls[0].id': string too long"; Bedrock: "toolUseId".
    refusal: (words) =>
      /tool[_ -]?call[_ -]?ids?\b|tool_use(?:_|\.)ids?\b|tool_calls(?:\[\d+\]|\.\d+)\.id\b|tool_?use_?id|\bcall_id\b/iu.test(
        words,
      ),
    change: (prompt) => validPrompt(prompt, { portableIds: true }),
    warning: 'refused the ids of tool calls; others are sent.',
  },
  {
    repair: 'turns',
    // Llama's template, on vLLM and llama.cpp: "This model only supports single tool-calls at once!"
    refusal: (words) => /\bonly supports? (?:a )?single tool[ _-]?calls?\b/iu.test(words),
    change: oneCallATurn,
    warning: 'takes one call in a message; each call of a turn is shown in its own.',
  },
  {
    repair: 'system',
    // Gemma's template: "System role not supported"; Mistral's first one: "Only user and assistant roles are supported!"; Gemini's
    // endpoint: "Developer instruction is not enabled for models/gemma-3-4b-it"; OpenAI: "'messages[0].role' does not support 'system'".
    refusal: (words) =>
      /\b(?:system|developer) (?:role|message|prompt|instruction)s?\b[^\n]{0,40}\b(?:not|un)\s?(?:supported|enabled|allowed)\b|(?:\bnot|n't) support(?:s|ed)?\b[^\n]{0,20}\b(?:system|developer)\b|\bonly user and assistant roles are supported(?!.*\bsystem\b)/iu.test(
        words,
      ),
    change: withoutSystem,
    warning: 'takes no system message; its text is at the beginning of the first message of the user.',
  },
  {
    repair: 'roles',
    // Mistral: "Unexpected role 'user' after role 'tool'" (code 3230); templates: "conversation roles must alternate".
    refusal: (words) =>
      /\b3230\b|unexpected role|\balternat(?:e|es|ing|ion)\b|\bconsecutive\b.*\b(?:roles?|messages?|user|assistant)\b|\broles?\b.*\b(?:order|sequence|in a row|follow|after)\b|\b(?:user|assistant)\b.*\b(?:follow(?:s|ed)?|after)\b.*\b(?:tool|user|assistant)\b/iu.test(
        words,
      ),
    change: rolesInTurn,
    warning:
      "wants the roles of messages in turn; neighbours of one role are joined, and a short word stands between a tool's result and the user.",
  },
];

function isAudio(part: MediaPart): boolean {
  return part.type === 'file' && part.mediaType.startsWith('audio/');
}

/** The tools are declared since earlier calls show them, and the request has no use for them. */
function onlyNamesTools(prompt: ModelPrompt): boolean {
  return prompt.type === 'messages' && prompt.toolChoice === 'none';
}

function warningOf(model: string, repair: Repair): string {
  return `Model ${model} ${REPAIRS.find((rule) => rule.repair === repair)?.warning ?? ''}`;
}
