import type { Model } from './model.ts';
import { openai } from './openai/openai.ts';

/** A model adapter that needs no entry in a config's `models`: it is chosen by the name of the model. */
interface NamedAdapter {
  /** Recorded with each run: never changed. */
  name: string;
  /** Beginning of the names of the models that this adapter is asked for. */
  prefix: string;
  create(): Model;
}

/** The first one with a prefix that fits is chosen. Adapters that a config creates itself are in `index.ts` alone. */
export const adapters: readonly NamedAdapter[] = [{ name: 'openai', prefix: '', create: () => openai() }];

/** Says of another value how an agent gives its model. */
export const NO_MODEL =
  'is not a model: give a name, openai(), fromVercelModel() of a model of the AI SDK, scripted([…]) or defineModel({ call })';

/** Name of the adapter for a model. Throws where no prefix of the list fits. */
export function adapterFor(model: string, list: readonly Omit<NamedAdapter, 'create'>[] = adapters): string {
  const found = list.find(({ prefix }) => model.startsWith(prefix));
  if (found === undefined) throw new Error(`No adapter takes the model "${model}".`);
  return found.name;
}
