import { describe, expect, it } from 'vitest';
import { pickAnswer } from '../../tools/search/answer.ts';

/** In the order in which they are picked: a section is picked also where all that follow it here are there, too. */
const sections: [what: string, section: object, told: string][] = [
  [
    'the answer of the first of several boxes',
    { answer_box: [{ answer: '25 years', snippet: 'no' }, { answer: 'no' }] },
    '25 years',
  ],
  ['the answer of the box', { answer_box: { answer: 1998, result: 'no' } }, '1998'],
  ['the result of the box', { answer_box: { result: '3.99', snippet: 'no' } }, '3.99'],
  [
    'the snippet of the box',
    { answer_box: { snippet: 'She is 25.', snippet_highlighted_words: ['25'] } },
    'She is 25.',
  ],
  [
    'the highlighted words of the box',
    {
      answer_box: {
        snippet_highlighted_words: ['Leonardo DiCaprio has a new girlfriend: Who is Vittoria Ceretti?'],
      },
    },
    '["Leonardo DiCaprio has a new girlfriend: Who is Vittoria Ceretti?"]',
  ],
  [
    'all that a weather box says',
    {
      answer_box: {
        type: 'weather_result',
        temperature: '60',
        unit: 'Fahrenheit',
        thumbnail: 'https://a.b/c.png',
      },
    },
    '{"type":"weather_result","temperature":"60","unit":"Fahrenheit"}',
  ],
  [
    'the sports results, under a box that says nothing',
    {
      answer_box: { type: 'x', title: 'x', link: 'https://a.b' },
      sports_results: { title: 'Ajax', rankings: '1st' },
    },
    '{"title":"Ajax","rankings":"1st"}',
  ],
  [
    'the top stories, without links and pictures',
    { top_stories: [{ title: 'Who is she?', source: 'People', link: 'https://a.b', thumbnail: 'data:' }] },
    '[{"title":"Who is she?","source":"People"}]',
  ],
  ['the news', { news_results: [{ position: 1, title: 'New' }] }, '[{"title":"New"}]'],
  [
    'the events',
    { events_results: [{ title: 'Gala', date: { when: 'today' } }] },
    '[{"title":"Gala","date":{"when":"today"}}]',
  ],
  ['the goods', { shopping_results: [{ title: 'Cup', price: '$3' }] }, '[{"title":"Cup","price":"$3"}]'],
  [
    'what is known, before the snippets',
    {
      knowledge_graph: {
        title: 'Ada',
        type: 'Person',
        description: 'A writer.',
        kgmid: '/m/1',
        known_for: 'notes',
      },
      organic_results: [
        { snippet: 'Ada wrote.' },
        { title: 'no snippet' },
        { snippet_highlighted_words: ['a', 'b'] },
      ],
    },
    '["Ada: Person","A writer.","Ada known for: notes","Ada wrote.","a, b"]',
  ],
  [
    'the snippets',
    { organic_results: [{ snippet: 'Ceretti was born on June 7, 1998.' }] },
    '["Ceretti was born on June 7, 1998."]',
  ],
  ['the places', { local_results: { places: [{ title: 'Bar' }] } }, '[{"title":"Bar"}]'],
  [
    'what people also ask',
    { related_questions: [{ question: 'Who?', snippet: 'She.', link: 'https://a.b' }] },
    '[{"question":"Who?","snippet":"She."}]',
  ],
];

describe('the model is told', () => {
  it.each(sections)('%s', (_what, section, told) => {
    const place = sections.findIndex(([, other]) => other === section);
    const later = sections.slice(place + 1).map(([, other]) => other);
    expect(pickAnswer({ ...section })).toBe(told);
    expect(pickAnswer(Object.assign({}, ...later, section) as { [name: string]: unknown })).toBe(told);
  });

  it('no more than the first ten of a list', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ snippet: `s${index}`, title: `t${index}` }));
    expect(JSON.parse(pickAnswer({ organic_results: many }) ?? '')).toHaveLength(10);
    expect(JSON.parse(pickAnswer({ news_results: many }) ?? '')).toHaveLength(10);
  });
});
