import { pages, textOf } from './doc-pages.ts';
import { isCommand, stepsOf } from './page-commands.ts';

const typed = pages.filter((page) => page.startsWith('docs/') && hasCommands(page));

/** Pages that show what commands print are of one project, in which much goes wrong. */
export const bookkeeperPages = typed.filter(isOfBookkeeper);

/** All others go on from where README ends: in what `reloop init` has made. */
export const starterPages = typed.filter((page) => !isOfBookkeeper(page));

/** Of these, those that run the examples of a checkout. */
export function isOfCheckout(page: string): boolean {
  return stepsOf(textOf(page)).some((step) => isCommand(step) && / examples\//u.test(step.command));
}

function hasCommands(page: string): boolean {
  return stepsOf(textOf(page)).some((step) => isCommand(step) && step.notRun === undefined);
}

/** `<!-- typed in: starter -->` or `bookkeeper` in a page says it otherwise. */
function isOfBookkeeper(page: string): boolean {
  const [, project] = /^<!-- typed in: (\w+) -->$/mu.exec(textOf(page)) ?? [];
  if (project !== undefined) return project === 'bookkeeper';
  return stepsOf(textOf(page)).some((step) => isCommand(step) && step.output !== undefined);
}
