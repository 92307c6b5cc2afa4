import { rowsPending } from '../../core/counts.ts';
import { sentence } from '../../core/plain-text.ts';
import type { ChangesObject } from '../../objects/batch-view.ts';
import type { WholeView } from './batch-view.ts';
import type { SummaryObject } from './report-object.ts';
import { besideWords, costWords, foundWords, keepWordsOf, needsWords, type Summed } from './summary-words.ts';
import { changesMade, peopleWords, teamDoneWords } from './team-done-words.ts';

/**
 * How a batch ended, in words for people who never typed a command. The report and the page begin with these
 * words.
 * @param changes what a batch of changes has done; undefined for a batch that changes nothing.
 */
export function summaryOf(of: Summed, view: WholeView, changes: ChangesObject | undefined): SummaryObject {
  // What rows that are left wait for, such as a key, is not known here.
  const nothing = rowsPending(view) > 0 ? 'No finished row needs attention.' : 'Nothing needs attention.';
  const cost = view.has_costs ? { cost: costWords(view, of.sandbox) } : {};
  if (changes !== undefined)
    return {
      headline: teamDoneWords(changes),
      ...cost,
      besides: changesMade(changes),
      needs: [unendedWords(of, view), changes.people.all === 0 ? nothing : peopleSentences(changes)]
        .filter((words) => words !== '')
        .join(' '),
    };
  return {
    headline: foundWords(of, view),
    ...cost,
    besides: view.has_costs ? besideWords(view) : '',
    needs: needsWords(view) || nothing,
  };
}

/** Changes that were not made because the start did not come to its end. */
function unendedWords({ state }: Pick<Summed, 'state'>, view: WholeView): string {
  if (rowsPending(view) === 0) return '';
  return state === 'open' ? 'It has not come to its end yet.' : 'It was stopped for good before its end.';
}

function peopleSentences(changes: ChangesObject): string {
  const keeping = keepWordsOf(changes);
  const people = sentence(`Of these people ${peopleWords(changes)}`);
  return keeping === '' ? people : `${people} ${sentence(keeping)}`;
}
