import { inMoney } from '../../core/money.ts';
import { atMost, counted, grouped, listed, sentence } from '../../core/plain-text.ts';
import type { BatchFigures } from './batch-figures.ts';

/**
 * How a batch ended, in words for people who never typed a command. The report and the page begin with these
 * words.
 */
export interface BatchSummary {
  /** One sentence that says how the batch ended. */
  readonly headline: string;
  /** Undefined where nothing is paid. */
  readonly cost: string | undefined;
  readonly needs: string;
  /** Blank for a batch that looks up nothing by an identifier. */
  readonly identifiers: string;
  /** Which rows need a person, in the order of the reasons. */
  readonly rows: readonly string[];
}

/**
 * @param changed the changes that a batch has made, as a clause; undefined for a batch that changes nothing.
 */
export function summaryOf(
  { sandbox }: { readonly sandbox: boolean },
  figures: BatchFigures,
  changed: string | undefined,
): BatchSummary {
  const { attention, identifiers, reasons, counts } = figures;
  // What rows that are left wait for, such as a key, is not known here.
  const nothing = counts.pending === undefined ? 'Nothing needs you.' : 'No finished row needs you.';
  const asked = changed === undefined ? identifiers.filter(({ name }) => !name.startsWith('/')) : [];
  return {
    headline: changed === undefined ? foundWords(figures) : capital(sentence(changed)),
    cost: figures.has_costs ? costWords(figures, sandbox) : undefined,
    needs: attention === 0 ? nothing : `${counted(attention, 'row needs', 'rows need')} you.`,
    identifiers: asked
      .map((each) => `by ${each.name} ${grouped(each.found)} of ${grouped(each.asked)}`)
      .join(' · '),
    rows: reasons.map(({ rows, first_rows: first }) => {
      const more = rows > first.length ? [`${grouped(rows - first.length)} more`] : [];
      return `${rows === 1 ? 'row' : 'rows'} ${listed([...first.map(String), ...more])}`;
    }),
  };
}

function foundWords({ rows, found, counts: { pending = 0, skipped = 0 } }: BatchFigures): string {
  const what = `found ${grouped(found)} of ${counted(rows, 'row')}`;
  const left = skipped === 0 ? '' : `; ${grouped(skipped)} skipped`;
  return pending === 0 ? `We ${what}${left}.` : `So far we ${what}${left}; ${counted(pending, 'row')} to go.`;
}

function costWords(
  { credits, saved, cost, vendor_counted: byVendor }: BatchFigures,
  sandbox: boolean,
): string {
  const { spent, exact, in_doubt: inDoubt } = credits;
  const also = [
    vendorCountWords(byVendor),
    saved > 0 ? `; ${grouped(saved)} saved by asking once` : '',
    inDoubt > 0 ? `; ${grouped(inDoubt)} in doubt, for answers that were lost` : '',
    sandbox ? '; this is play money' : '',
  ];
  return `It cost ${atMost(spent, !exact, counted(spent, 'credit'))}${inMoney(cost)}${also.join('')}.`;
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const vendorCountWords = (count: number | undefined): string =>
  count === undefined ? '' : `; the vendor counted ${grouped(count)}`;
