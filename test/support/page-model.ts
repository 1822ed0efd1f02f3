import type { Script, ScriptEntry } from '../../features/testing/index.ts';
import { act, answer } from './scripts.ts';

/** What the model of the pages says to each question, step by step. */
const replies: { [question: string]: readonly ScriptEntry[] } = {
  'Close the books of March.': [
    act('report', 'sales'),
    act('report', 'costs'),
    act('report', 'taxes'),
    act('pay', '500 to Ann'),
    answer('March is closed: sales 1,200, costs 700, taxes unknown. Ann has her 500.'),
  ],
  'What did we sell?': [act('report', 'sales'), answer('1,200.')],
  'What did we spend?': [act('report', 'costs'), answer('700.')],
  'Pay Bob.': [act('pay', '9,000 to Bob'), answer('Bob was not paid: he has his money already.')],
  'Pay Ann and Carl.': [act('pay', '500 to Ann'), act('pay', '70 to Carl'), answer('Both are paid.')],
  'Which pen?': [act('ask_human', 'The red one or the blue one?'), answer('The red one it is.')],
  'Count the orders.': [act('batch', 'select count(*) from orders'), answer('There are 17.')],
  'Send the letter.': [act('post', 'letter to Ann'), answer('The letter is on its way.')],
  'What is due?': [answer('Nothing.')],
  'Ask the bank.': [act('call_bank', 'balance'), answer('The bank does not answer today.')],
};

/** Its first answer is that it cannot answer. */
const outages = new Set(['What is due?']);

/** Answers from what it is shown, so that it may be asked again. */
export const pageModel: Script = ({ prompt }) => {
  if (prompt.endsWith('My name is Laila.')) return 'Hello Laila!';
  if (prompt.endsWith('Who am I?')) return prompt.includes('Laila') ? 'You are Laila.' : 'I do not know.';
  const question = Object.keys(replies).find((text) => prompt.includes(`Question: ${text}`)) ?? '';
  if (outages.delete(question)) return { status: 503, error: { message: 'The server is overloaded.' } };
  const since = prompt.slice(prompt.indexOf(`Question: ${question}`));
  const observed = since.split('\nObservation: ').length - 1;
  return replies[question]?.[observed] ?? answer('I have nothing to say.');
};
