import { rowsPending } from '../../../core/counts.ts';
import type { BatchView, FiguresObject } from '../../../objects/batch-view.ts';
import { askedIdentifiers, inputWords, whatWords } from '../summary-words.ts';
import type { ShareProps } from './parts.ts';

/** What was found: of how many rows, by what, in which columns, and at which account. */

/** Rows that are not finished may have cells, which are counted beside their accounts alone. */
function titleOf(says: string, view: OfRows): string {
  return view.steps !== undefined && rowsPending(view) > 0 ? `${says}, in finished rows` : says;
}

type OfRows = Pick<BatchView, 'rows' | 'counts' | 'steps'>;

/** Shares of the same kind, by their names. */
export interface Shares {
  readonly title: string;
  readonly shares: readonly (readonly [name: string, share: ShareProps])[];
}

type OfIdentifiers = OfRows & { readonly figures: Pick<FiguresObject, 'identifiers'> };

export function identifierShares(view: OfIdentifiers): Shares {
  const shares = askedIdentifiers(view.figures).map(
    ({ name, asked, found }) => [identifierWords(name), { part: found, all: asked }] as const,
  );
  return { title: titleOf('What it was found by', view), shares };
}

/** `profile page (people)` for `enrich-person.profile_url`. */
export function identifierWords(name: string): string {
  const [inputs = '', step] = name.split('.').reverse();
  const words = inputs.split('+').map(inputWords).join(' + ');
  return step === undefined ? words : `${words} (${whatWords(step)})`;
}

type OfColumns = OfRows & { readonly figures: Pick<FiguresObject, 'columns'> };

export function columnShares(view: OfColumns): Shares {
  const shares = view.figures.columns.map(
    ({ name, filled, found }) => [name, { part: filled, all: found }] as const,
  );
  return { title: titleOf('What came back', view), shares };
}
