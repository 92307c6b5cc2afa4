import { inMoney } from '../../core/money.ts';
import { atMost, counted, grouped, listed, sentence } from '../../core/plain-text.ts';
import type { BatchFigures } from './batch-figures.ts';

/**
 * How a batch ended, in words for people who never typed a command. The report and the page begin with these
 * words.
 */
export interface BatchSummary {
  /** How the batch ended, without a full stop where it is about what was found. */
  readonly headline: string;
  /** Undefined where nothing is paid. */
  readonly cost: string | undefined;
  /** The price of each found one, and the credits that were saved. Blank where neither is known. */
  readonly besides: string;
  readonly needs: string;
  /** Blank for a batch that looks up nothing by an identifier. */
  readonly identifiers: string;
  /** Which rows need a person, in the order of the reasons. */
  readonly rows: readonly string[];
}

interface Summed {
  readonly sandbox: boolean;
  readonly operation: string;
}

/**
 * @param changed the changes that a batch has made, as a clause; undefined for a batch that changes nothing.
 */
export function summaryOf(of: Summed, figures: BatchFigures, changed: string | undefined): BatchSummary {
  const { attention, reasons, counts } = figures;
  // What rows that are left wait for, such as a key, is not known here.
  const nothing = counts.pending === undefined ? 'Nothing needs you.' : 'No finished row needs you.';
  return {
    headline: changed === undefined ? foundWords(of, figures) : capital(sentence(changed)),
    cost: figures.has_costs ? costWords(figures, of.sandbox) : undefined,
    besides: figures.has_costs ? besideWords(figures) : '',
    needs: attention === 0 ? nothing : `${counted(attention, 'row needs', 'rows need')} you.`,
    identifiers: (changed === undefined ? askedIdentifiers(figures) : [])
      .map((each) => `by ${each.name} ${grouped(each.found)} of ${grouped(each.asked)}`)
      .join(' · '),
    rows: reasons.map(rowsWords),
  };
}

/** `rows 12, 13 and 4 more`. */
export function rowsWords({ rows, first_rows: first }: BatchFigures['reasons'][number]): string {
  const more = rows > first.length ? [`${grouped(rows - first.length)} more`] : [];
  return `${rows === 1 ? 'row' : 'rows'} ${listed([...first.map(String), ...more])}`;
}

/** A call that brings its own request has a path in the place of an identifier. */
export const askedIdentifiers = ({ identifiers }: Pick<BatchFigures, 'identifiers'>) =>
  identifiers.filter(({ name }) => !name.startsWith('/'));

/** What a row of an operation stands for, one and several. */
const NOUNS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'enrich-company': ['company', 'companies'],
  'enrich-person': ['person', 'people'],
  'find-email': ['e-mail', 'e-mails'],
  'find-phone': ['phone number', 'phone numbers'],
};

function foundWords({ operation }: Summed, { rows, found, counts }: BatchFigures): string {
  const { pending = 0, skipped = 0 } = counts;
  const noun = NOUNS[operation] ?? ['row', 'rows'];
  const what = `${grouped(found)} of ${counted(rows, ...noun)} found, ${percent(found, rows)}`;
  const left = skipped === 0 ? '' : `; ${grouped(skipped)} skipped`;
  return pending === 0 ? `${what}${left}` : `So far ${what}${left}; ${counted(pending, 'row')} to go`;
}

/** `90 %`, which is not broken in two. Only all of them are 100 %, and only none of them is 0 %. */
export function percent(part: number, all: number): string {
  const rounded = Math.round((part / all) * 100);
  const shown = part === 0 || part === all ? rounded : Math.min(Math.max(rounded, 1), 99);
  return `${shown}\u00a0%`;
}

function costWords({ credits, cost, vendor_counted: byVendor }: BatchFigures, sandbox: boolean): string {
  const { spent, exact, in_doubt: inDoubt } = credits;
  const also = [
    vendorCountWords(byVendor),
    inDoubt > 0 ? `; ${grouped(inDoubt)} in doubt, for answers that were lost` : '',
    sandbox ? '; this is play money' : '',
  ];
  return `It cost ${atMost(spent, !exact, counted(spent, 'credit'))}${inMoney(cost)}${also.join('')}.`;
}

function besideWords({ each, saved, credits: { exact } }: BatchFigures): string {
  const parts: string[] = [];
  if (each !== null) {
    const credits = `${counted(each.credits, 'credit')}${inMoney(each.cost)}`;
    parts.push(`That is ${atMost(each.credits, !exact, credits)} for each one found.`);
  }
  if (saved > 0) {
    const more = counted(saved, 'more credit was', 'more credits were');
    parts.push(`${more} saved: known before, or twice on the list.`);
  }
  return parts.join(' ');
}

/** A sentence with a flag, or one that says which command to run. */
const TYPED = /(?<=^|\.)\s*(?=[^.]*(?:--[a-z]|\brun [a-z]+-[a-z]+))[^.]*\.?/gi;

/** A reason for people who never typed a command. The whole reason stands in the row. */
export const untyped = (reason: string): string => reason.replaceAll(TYPED, '');

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const vendorCountWords = (count: number | undefined): string =>
  count === undefined ? '' : `; the vendor counted ${grouped(count)}`;
