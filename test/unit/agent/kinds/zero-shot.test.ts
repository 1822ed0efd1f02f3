import { describe, expect, test } from 'vitest';
import type { PromptContext } from '../../../../agent/definition/kind.ts';
import type { AgentStep } from '../../../../agent/values/vocabulary.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { rendered, sampleManifest, sampleStep, sampleTool } from '../../../support/manifest.ts';

const QUESTION = 'What is the 10th Fibonacci number?';
const searched = sampleStep(' I should look that up.\nAction: Search\nAction Input: 10th Fibonacci', '55');
const computed = sampleStep(' Let me check.\nAction: Calculator\nAction Input: 21 + 34', 'Answer: 55');

describe('the prompt', () => {
  test('without steps ends where the model is to think', () => {
    expect(prompt()).toMatchInlineSnapshot(`
      "Answer the question below as well as you can. These tools are at your disposal:

      Search: Looks things up.
      Calculator: Computes.

      Keep to this format:

      Question: the question you have to answer
      Thought: what you think should be done next
      Action: the tool to use, one of [Search, Calculator]
      Action Input: what to give to the tool
      Observation: what the tool returned
      ... (Thought, Action, Action Input and Observation may come round as often as needed)
      Thought: I now know the final answer
      Final Answer: the answer to the question that was asked

      Let us begin.

      Question: What is the 10th Fibonacci number?
      Thought:"
    `);
  });

  test('with steps holds each reply as it came, and what was observed, in order', () => {
    expect(scratchpad([searched, computed])).toMatchInlineSnapshot(`
      "Thought: I should look that up.
      Action: Search
      Action Input: 10th Fibonacci
      Observation: 55
      Thought: Let me check.
      Action: Calculator
      Action Input: 21 + 34
      Observation: Answer: 55
      Thought:"
    `);
  });

  test('takes braces in descriptions, in the question and in replies for what they are', () => {
    const tools = [sampleTool('Weather', 'Input: {"city": "…"}. {input} {tool_names}')];
    const text = prompt({
      manifest: sampleManifest({ tools }),
      input: 'What is {agent_scratchpad} in f"{x}"?',
      steps: [sampleStep(' {tools}\nAction: Weather\nAction Input: {"city": "Rome"}', '{input}')],
    });
    expect(text).toContain('Weather: Input: {"city": "…"}. {input} {tool_names}\n');
    expect(text).toContain('Question: What is {agent_scratchpad} in f"{x}"?\n');
    const step = 'Thought: {tools}\nAction: Weather\nAction Input: {"city": "Rome"}\nObservation: {input}\n';
    expect(text).toContain(step);
  });

  test('has the texts of the agent in place of its own', () => {
    const formatInstructions = 'Tools once more:\n{tools}';
    const prefix = 'Be brief. You know {tool_names}.';
    const texts = { prefix, formatInstructions, suffix: '{input}\n{agent_scratchpad}' };
    const manifest = sampleManifest({ prompt: texts });
    expect(prompt({ manifest, steps: [searched] })).toMatchInlineSnapshot(`
      "Be brief. You know Search, Calculator.

      Search: Looks things up.
      Calculator: Computes.

      Tools once more:
      Search: Looks things up.
      Calculator: Computes.

      What is the 10th Fibonacci number?
       I should look that up.
      Action: Search
      Action Input: 10th Fibonacci
      Observation: 55
      Thought:"
    `);
  });

  test('has an empty list where the agent has no tools', () => {
    expect(prompt({ manifest: sampleManifest({ tools: [] }) })).toContain('the tool to use, one of []\n');
  });
});

function prompt(context: Partial<PromptContext> = {}): string {
  const prompt = rendered(zeroShot, sampleManifest(), { input: QUESTION, ...context });
  return prompt.type === 'text' ? prompt.text : 'messages, against expectation';
}

/** The prompt from its first thought on. */
function scratchpad(steps: AgentStep[]): string {
  const text = prompt({ steps });
  const question = `Question: ${QUESTION}\n`;
  return text.slice(text.indexOf(question) + question.length);
}
