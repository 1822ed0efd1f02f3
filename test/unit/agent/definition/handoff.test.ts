import { describe, expect, test } from 'vitest';
import { takingOver } from '../../../../agent/definition/handed-over.ts';
import { withHandoffs } from '../../../../agent/reply/handoff-actions.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { checkConfig } from '../../../../config/check.ts';
import type { AgentDefinition } from '../../../../config/define.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const native = { kind: 'tool-calling', model: 'gpt-4o-mini' } as const;
const billing: AgentDefinition = { name: 'Billing & Co', description: 'Knows invoices.', ...native };
const load = (triage: Partial<AgentDefinition>, ...others: AgentDefinition[]) =>
  createLoadedConfig({ agents: [{ name: 'triage', ...native, ...triage }, ...others] });

describe('the option handoffs', () => {
  test('makes a tool of each agent, by name or definition', () => {
    const [tool] = load({ handoffs: [billing] }, billing).manifest('triage', {})?.tools ?? [];
    expect(tool).toMatchObject({
      name: 'transfer_to_billing_co',
      description: 'Hands the conversation over to the agent Billing & Co, who continues it. Knows invoices.',
      handoff: 'Billing & Co',
    });
    expect(load({ handoffs: ['Billing & Co'] }, billing).manifest('triage', {})?.tools).toEqual([tool]);
  });

  const transfer = defineTool({ name: 'transfer_to_b', description: 'x', run: () => '' });
  test.each<[what: string, triage: Partial<AgentDefinition>, other: AgentDefinition, message: string]>([
    ['an unknown agent', { handoffs: ['b'] }, billing, '"b" is not another agent of the config.'],
    ['the agent itself', { handoffs: ['triage'] }, billing, '"triage" is not another agent of the config.'],
    [
      'a kind without a place for earlier messages',
      { handoffs: ['b'] },
      { ...native, name: 'b', kind: 'zero-shot' },
      'the kind zero-shot of "b" has no place for earlier messages',
    ],
    [
      'two tools of one name',
      { handoffs: ['b'], tools: [transfer] },
      { ...native, name: 'b' },
      'there are two tools of the name transfer_to_b.',
    ],
    [
      'another number of steps that the model sees',
      { handoffs: ['b'], trimIntermediateSteps: 3 },
      { ...native, name: 'b' },
      '"b" has another trimIntermediateSteps than "triage".',
    ],
  ])('refuses %s', (_what, triage, other, message) => {
    expect(() => load(triage, other)).toThrow(`Agent "triage": handoffs: ${message}`);
  });

  test('refuses what is no agent', () => {
    expect(() => checkConfig({ agents: [{ name: 'a', model: 'm', handoffs: [7] }] }, 'the config')).toThrow(
      'handoffs',
    );
  });

  test('needs prices of all agents for a budget of money', () => {
    const other = { ...native, name: 'b', model: 'dear' };
    const triage = { name: 'triage', ...native, handoffs: ['b'], budget: { cost: 1 } };
    const prices = { 'gpt-4o-mini': { input: 1, output: 1 } };
    expect(() => createLoadedConfig({ agents: [triage, other], prices })).toThrow(
      'there is no price of "dear"',
    );
  });
});

test('the first handoff of a turn counts, and other calls stay as they are', () => {
  const { tools } = load({ handoffs: [billing] }, billing).manifest('triage', {}) ?? sampleManifest();
  const actions = ['other', 'transfer_to_billing_co', 'transfer_to_billing_co'].map((tool) => ({
    tool,
    toolInput: {},
  }));
  expect(withHandoffs({ type: 'act', actions }, tools)).toEqual({
    type: 'act',
    actions: [
      actions[0],
      { ...actions[1], observation: 'The conversation is handed over to Billing & Co.' },
      {
        ...actions[2],
        observation:
          'Ignored: the conversation can be handed over to one agent at a time, and it goes to Billing & Co.',
      },
    ],
  });
});

test("the agent that takes over has the run's limits and facts, and nothing else of the first agent", () => {
  const facts = { maxIterations: 7, maxExecutionTimeMs: 9, tenant: 'acme', context: { user: 'u' } };
  const first = sampleManifest({ ...facts, onLimit: 'ask', model: 'first', repeatLimit: 3 });
  const target = sampleManifest({ name: 'second', model: 'second', maxIterations: 1 });
  expect(takingOver(target, first)).toMatchObject({
    ...facts,
    onLimit: 'ask',
    name: 'second',
    model: 'second',
  });
  expect(takingOver(target, first).repeatLimit).toBeUndefined();
});

test("data of one model's provider is not shown to another model", () => {
  const reply = { text: '', toolCalls: [], reasoning: 'hm', providerData: { signed: 1 }, by: 'openai first' };
  const entries: Entry[] = [
    { type: 'agent', manifest: sampleManifest({ adapter: 'openai', model: 'first' }) },
    { type: 'question', input: 'Who?', chatHistory: [] },
    { type: 'reply', call: '1', ...reply },
    { type: 'step', call: '1.1', action: { tool: 't', toolInput: '', log: '' }, observation: 'x' },
  ];
  const other: Entry = { type: 'agent', manifest: sampleManifest({ adapter: 'openai', model: 'second' }) };
  const { by: _, ...whole } = reply;
  expect(conversation(entries).steps[0]?.reply).toEqual(whole);
  expect(conversation([...entries, other]).steps[0]?.reply).toEqual({ text: '', toolCalls: [] });
});
