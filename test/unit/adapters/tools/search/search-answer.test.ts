import { describe, expect, it } from 'vitest';
import { pickAnswer } from '../../../../../adapters/tools/search/answer.ts';

const WHO = 'Leonardo DiCaprio has a new girlfriend: Who is Vittoria Ceretti?';
const boxes = [{ answer: '25 years', snippet: 'no' }, { answer: 'no' }];
const weather = { type: 'weather_result', temperature: '60', unit: 'Fahrenheit' };
const story = { title: 'Who is she?', source: 'People' };
const sports = { title: 'Ajax', rankings: '1st' };
const known = { title: 'Ada', type: 'Person', description: 'A writer.', kgmid: '/m/1', known_for: 'notes' };
const snippets = [
  { snippet: 'Ada wrote.' },
  { title: 'no snippet' },
  { snippet_highlighted_words: ['a', 'b'] },
];
const silent = { type: 'x', title: 'x', link: 'https://a.b' };
const asked = { question: 'Who?', snippet: 'She.' };
const event = { title: 'Gala', date: { when: 'today' } };

/** In the order in which they are picked: a section is picked also where all that follow it here are there, too. */
const sections: [what: string, section: object, told: unknown][] = [
  ['the answer of the first of several boxes', { answer_box: boxes }, '25 years'],
  ['the answer of the box', { answer_box: { answer: 1998, result: 'no' } }, '1998'],
  ['the result of the box', { answer_box: { result: '3.99', snippet: 'no' } }, '3.99'],
  ['its snippet', { answer_box: { snippet: 'She is 25.', snippet_highlighted_words: ['25'] } }, 'She is 25.'],
  ['the highlighted words of the box', { answer_box: { snippet_highlighted_words: [WHO] } }, [WHO]],
  ['all that a weather box says', { answer_box: { ...weather, thumbnail: 'https://a.b/c.png' } }, weather],
  ['the sports results, under a silent box', { answer_box: silent, sports_results: sports }, sports],
  ['the top stories', { top_stories: [{ ...story, link: 'https://a.b', thumbnail: 'data:' }] }, [story]],
  ['the news', { news_results: [{ position: 1, title: 'New' }] }, [{ title: 'New' }]],
  ['the events', { events_results: [event] }, [event]],
  ['the goods', { shopping_results: [{ title: 'Cup', price: '$3' }] }, [{ title: 'Cup', price: '$3' }]],
  [
    'what is known, before the snippets',
    { knowledge_graph: known, organic_results: snippets },
    ['Ada: Person', 'A writer.', 'Ada known for: notes', 'Ada wrote.', 'a, b'],
  ],
  ['the snippets', { organic_results: [{ snippet: 'Born on June 7, 1998.' }] }, ['Born on June 7, 1998.']],
  ['the places', { local_results: { places: [{ title: 'Bar' }] } }, [{ title: 'Bar' }]],
  ['what people also ask', { related_questions: [{ ...asked, link: 'https://a.b' }] }, [asked]],
];

describe('the model is told', () => {
  it.each(sections)('%s', (_what, section, told) => {
    const place = sections.findIndex(([, other]) => other === section);
    const later = sections.slice(place + 1).map(([, other]) => other);
    const text = typeof told === 'string' ? told : JSON.stringify(told);
    expect(pickAnswer({ ...section })).toBe(text);
    expect(pickAnswer(Object.assign({}, ...later, section) as { [name: string]: unknown })).toBe(text);
  });

  it('no more than the first ten of a list', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ snippet: `s${index}`, title: `t${index}` }));
    expect(JSON.parse(pickAnswer({ organic_results: many }) ?? '')).toHaveLength(10);
    expect(JSON.parse(pickAnswer({ news_results: many }) ?? '')).toHaveLength(10);
  });
});
