import type { AgentManifest } from '../manifest.ts';
import type { AgentKind } from './kind.ts';

/** Why an agent can be asked about no image, and what to do; undefined where it can. */
export function takesNoImages(
  kinds: ReadonlyMap<string, AgentKind>,
  { name, kind, params }: AgentManifest,
): string | undefined {
  if (kinds.get(kind)?.images !== true) {
    const others = [...kinds.values()].filter((other) => other.images === true).map((other) => other.name);
    return `Agent "${name}" is of kind ${kind}, which takes no images in a question. Describe the image in words, or ask an agent of another kind: ${others.join(', ') || 'none'}.`;
  }
  if (params.api === 'chat') return undefined;
  return `Agent "${name}" asks its model by legacy completions, which cannot carry images: give it api: 'chat'.`;
}
