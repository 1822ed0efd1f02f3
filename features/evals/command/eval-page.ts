import { type Html, html } from '../../render/page/html.ts';
import { wholePage } from '../../render/page/whole-page.ts';
import { badge } from '../../render/page/words.ts';
import { count } from '../../render/words/amounts.ts';
import { costWords, totalTokenWords } from '../../render/words/usage-words.ts';
import type { CaseChange, EvalReport } from '../rules/eval-report.ts';
import { failureLines } from '../rules/junit.ts';
import type { CaseResult } from '../rules/score-case.ts';
import { resultWord, scoreWord, summaryLines } from './report-words.ts';

/** The results as one page that needs nothing else, those that did not pass first. Everything that models and people wrote is text on it. */
export function evalPage(reports: readonly EvalReport[]): string {
  const names = reports.map(({ eval: name }) => name).join(', ');
  return wholePage(
    { title: `Evals: ${names}` },
    html`${reports.map(reportSection)}
      <footer>Written by <code>reloop eval --html</code>.</footer>`,
  );
}

function reportSection(report: EvalReport): Html {
  const { agent, cases, before } = report;
  const changes = new Map(before?.changes.map(({ key, change }) => [key, change]));
  const sorted = cases.toSorted((a, b) => Number(a.passed) - Number(b.passed));
  return html`<header>
      <h1>${report.eval}</h1>
      <p class="meta">of the agent <code>${agent}</code></p>
      ${summaryLines(report).map((line) => html`<p>${line}</p>`)}
    </header>
    <main>${sorted.map((one) => caseCard(one, changes.get(one.key)))}</main>`;
}

function caseCard(one: CaseResult, change: CaseChange['change'] | undefined): Html {
  const { input, score, steps, usage, run, output, checks, passed, status } = one;
  const amounts = [
    `score ${scoreWord(score)}`,
    count(steps, 'step'),
    totalTokenWords(usage),
    ...costWords(usage),
  ];
  const passedChecks = checks.filter((check) => check.passed).map(({ check }) => check);
  return html`<section class="card">
    <h3>
      ${badge({ tone: toneOf(one), word: resultWord(one) })}${change === undefined ? '' : badge({ tone: tones[change], word: change })}
    </h3>
    <p class="label">Question</p>
    <pre>${input}</pre>
    ${
      output === null
        ? ''
        : html`<p class="label">Answer</p>
            <pre>${typeof output === 'string' ? output : JSON.stringify(output, undefined, 2)}</pre>`
    }
    ${passed ? '' : failureLines(one).map((line) => html`<p>✗ ${line}</p>`)}
    ${passedChecks.map((check) => html`<p>✓ ${check}</p>`)}
    <p class="meta">${amounts.join(' · ')}${status === 'missing' ? '' : html` · run <code>${run}</code>`}</p>
  </section>`;
}

const tones = { fixed: 'good', better: 'good', broken: 'bad', worse: 'bad' } as const;

function toneOf({ passed, status }: CaseResult) {
  if (passed) return 'good';
  return status === 'completed' || status === 'failed' ? 'bad' : 'wait';
}
