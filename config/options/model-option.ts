import { z } from 'zod/v4';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { NO_MODEL } from '../../adapters/models/adapters.ts';
import { modelErrorTypes } from '../../adapters/models/failure-types.ts';
import type { Model } from '../../adapters/models/model.ts';
import { type AgentDefinition, ConfigError, type FallbackModel } from '../define.ts';

/** A model of a definition: a name, or the model itself. */
export const model = z.custom<Model>(isModel, NO_MODEL);

/** The option `model` of an agent: a model, or a list of models. */
export const modelOption = z.custom<AgentDefinition['model']>().superRefine((value, context) => {
  for (const { path, message } of Array.isArray(value) ? problemsOfList(value) : problemsOfModel(value, []))
    context.addIssue({ code: 'custom', path, message });
});

interface Problem {
  path: (string | number)[];
  message: string;
}

function problemsOfList(list: readonly unknown[]): Problem[] {
  if (list.length === 0) return [{ path: [], message: 'is an empty list: give one model at least' }];
  return list.flatMap((entry, index) =>
    isFallback(entry) ? problemsOfFallback(entry, index) : problemsOfModel(entry, [index]),
  );
}

function problemsOfFallback(entry: object, index: number): Problem[] {
  const { model: given, on, ...others } = fieldsOf(entry);
  const unknown = Object.keys(others).map((name): Problem => ({
    path: [index],
    message: `unknown option ${name} (known: model, on)`,
  }));
  return [...unknown, ...problemsOfModel(given, [index, 'model']), ...problemsOfOn(on, index)];
}

function problemsOfOn(on: unknown, index: number): Problem[] {
  const path = [index, 'on'];
  if (on === undefined) return [];
  if (index === 0)
    return [{ path, message: 'is for the models after the first: the first one is always asked' }];
  const known: readonly string[] = modelErrorTypes;
  const isKnown = Array.isArray(on) && on.length > 0 && on.every((type) => known.includes(String(type)));
  return isKnown
    ? []
    : [{ path, message: `is not a list of types of failures (known: ${known.join(', ')})` }];
}

function problemsOfModel(value: unknown, path: Problem['path']): Problem[] {
  if (value === '') return [{ path, message: 'is empty' }];
  return typeof value === 'string' || isModel(value) ? [] : [{ path, message: NO_MODEL }];
}

function isModel(value: unknown): value is Model {
  return typeof fieldsOf(value)['call'] === 'function';
}

function isFallback(entry: unknown): entry is FallbackModel {
  return typeof entry === 'object' && entry !== null && 'model' in entry && !isModel(entry);
}

/** A model by its adapter, and the name that it is asked by. */
export interface ModelName extends Pick<FallbackModel, 'on'> {
  adapter: string;
  model: string;
}

/** One model of an agent. */
export interface ModelChoice extends ModelName {
  /** Name in the definition; for a model in place, the name by which it is asked. */
  given: string;
  /** The model, if the definition has it in place. */
  inPlace?: Model | undefined;
}

/**
 * The models of an agent, in the order in which they are asked. A model in place is known by its agent's name, so that every
 * worker with this config finds it again. Throws ConfigError for a model without a name, and for one that is there twice.
 */
export function modelChoices(
  { name, model: option }: Pick<AgentDefinition, 'name' | 'model'>,
  ofNamed: (model: string) => ModelName,
): [ModelChoice, ...ModelChoice[]] {
  const list = isList(option) ? option : [option];
  const choices = list.map((entry, index): ModelChoice => {
    const { model: given, on } = isFallback(entry) ? entry : { model: entry, on: undefined };
    if (typeof given === 'string') return { ...ofNamed(given), given, on };
    if (given.nameHint !== undefined && given.modelName === undefined) {
      throw new ConfigError(
        `Agent "${name}": its model has no name to be asked by. Write ${given.nameHint}, or put the model into the config's models under its name.`,
      );
    }
    const place = index === 0 ? name : `${name}/${index + 1}`; // no agent's name has a slash
    const asked = given.modelName ?? place;
    return { adapter: `agent:${place}`, model: asked, given: asked, inPlace: given, on };
  });
  const twice = choices.find(({ adapter, model: asked }, index) =>
    choices.slice(0, index).some((other) => other.adapter === adapter && other.model === asked),
  );
  if (twice !== undefined)
    throw new ConfigError(`Agent "${name}" lists the model "${twice.given}" twice. Leave one out.`);
  return choices as [ModelChoice, ...ModelChoice[]]; // a list of models is not empty
}

function isList(
  option: AgentDefinition['model'],
): option is Extract<AgentDefinition['model'], readonly unknown[]> {
  return Array.isArray(option);
}
