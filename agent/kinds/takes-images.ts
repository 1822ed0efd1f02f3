import type { AgentManifest } from '../definition/manifest.ts';
import type { AgentKind } from '../definition/kind.ts';

/** Reason why an agent takes no images, with the remedy; undefined if it takes them. */
export function takesNoImages(
  kinds: ReadonlyMap<string, AgentKind>,
  { name, kind, params }: AgentManifest,
): string | undefined {
  if (kinds.get(kind)?.images !== true) {
    const others = [...kinds.values()].filter((other) => other.images === true).map((other) => other.name);
    return `Agent "${name}" is of kind ${kind}, which takes no images in a question. Describe the image in words, or ask an agent of another kind: ${others.join(', ') || 'none'}.`;
  }
  if (params.images === false) {
    return `Agent "${name}" takes no images (images: false). Describe the image in words, or ask an agent whose model takes images.`;
  }
  if (params.api === 'chat') return undefined;
  return `Agent "${name}" asks its model by legacy completions, which cannot carry images: give it api: 'chat'.`;
}
