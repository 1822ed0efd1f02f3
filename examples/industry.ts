import { defineAgent, defineConfig, elasticsearch } from 'reloop';
import { demoModel } from './demo-model.ts';
import { startSearchServer } from './search-server.ts';

/** To be asked one after the other in a session. */
export const industryQuestions = ['我是赖赖', '我是谁', '清洁和TMT行业哪个行业更利好'] as const;
const [name, who, question] = industryQuestions;

const says = (action: string, input: string) =>
  `\`\`\`json\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\``;

/** Goes by the last message, and knows only what the messages before it say. */
function reply({ prompt }: { prompt: string }): string {
  if (prompt.endsWith(name)) return says('Final Answer', '你好,赖赖!有什么我可以帮助你的吗?');
  if (prompt.endsWith(who)) {
    const told = prompt.includes(name);
    return says('Final Answer', told ? '你是赖赖,这是你在之前的提问中提到的。' : '我不知道你是谁。');
  }
  if (prompt.endsWith(question)) return says('Search', question);
  return says('Final Answer', '根据提供的信息,TMT行业在未来可能会有更好的发展前景。');
}

const apiKey = process.env['ELASTICSEARCH_API_KEY'];

/** Seed 003: a conversation that remembers, and a search; in your own index where ELASTICSEARCH_URL is set. */
export const industry = defineAgent({
  name: 'industry',
  description: 'converses, and searches documents',
  kind: 'conversational',
  model: demoModel(reply),
  temperature: 0,
  tools: [
    elasticsearch({
      name: 'Search',
      description: 'useful for when you need to answer questions about current events',
      url: process.env['ELASTICSEARCH_URL'] ?? (await startSearchServer()),
      index: 'summary_section',
      row: '标题: {title} 内容: {content}\n',
      ...(apiKey === undefined ? {} : { auth: { apiKey } }),
    }),
  ],
});

export default defineConfig({ agents: [industry] });
