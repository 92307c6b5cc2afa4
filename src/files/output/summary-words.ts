import { moneyWords } from '../../client/account/price.ts';
import { atMost, grouped, listed, sentence } from '../../core/plain-text.ts';
import type { Batch } from '../../ledger/ledger.ts';
import type { BatchFigures } from './batch-figures.ts';

/** What came of a batch in words for people who never typed a command. The report and the page begin with them. */
export interface BatchSummary {
  /** One sentence that says what came of it. */
  readonly headline: string;
  /** Undefined where nothing is paid. */
  readonly cost: string | undefined;
  readonly needs: string;
  /** Blank for a batch that asks by no identifier. */
  readonly identifiers: string;
  /** How many of the rows that were found have each column, in the order of the columns. */
  readonly shares: readonly string[];
  /** Which rows need a person, in the order of the reasons. */
  readonly rows: readonly string[];
}

/** @param changed what a batch of changes has done, as a clause; undefined for a batch that changes nothing. */
export function summaryOf(
  { operation, sandbox }: Pick<Batch, 'operation' | 'sandbox'>,
  figures: BatchFigures,
  changed: string | undefined,
): BatchSummary {
  const { attention, identifiers } = figures;
  return {
    headline: changed === undefined ? foundWords(operation, figures) : capital(sentence(changed)),
    cost: figures.hasCosts ? costWords(figures, sandbox) : undefined,
    needs:
      attention === 0
        ? 'Nothing needs you.'
        : `${grouped(attention)} ${attention === 1 ? 'row needs' : 'rows need'} you.`,
    identifiers:
      changed === undefined
        ? identifiers
            .filter(({ name }) => !name.startsWith('/'))
            .map(
              ({ name, asked, found }) =>
                `by ${identifierWords(name)} ${grouped(found)} of ${grouped(asked)}`,
            )
            .join(' · ')
        : '',
    shares: figures.columns.map(({ filled }) => shareWords(filled, figures.found)),
    rows: figures.reasons.map((reason) => rowWords(reason.rows, reason.first_rows)),
  };
}

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  'enrich-company': ['company', 'companies'],
  'enrich-person': ['person', 'people'],
};

function foundWords(operation: string, { rows, found, counts }: BatchFigures): string {
  const noun = NOUNS[operation];
  const [one, many] = noun ?? ['row', 'rows'];
  const all = rows === 1 ? `your one ${one}` : `your ${grouped(rows)} ${many}`;
  const part =
    found === rows ? (rows === 1 ? '' : 'all of ') : `${found === 0 ? 'none' : grouped(found)} of `;
  const what =
    noun === undefined && found === 0
      ? `nothing for ${all}`
      : `${noun === undefined ? 'something for ' : ''}${part}${all}`;
  const { pending = 0 } = counts;
  if (pending === 0) return `We found ${what}.`;
  const left = `${grouped(pending)} ${pending === 1 ? 'row is' : 'rows are'} not done yet`;
  return `So far we found ${what}; ${left}.`;
}

function costWords({ money, saved, cost }: BatchFigures, sandbox: boolean): string {
  const { spent, isAtMost, inDoubt } = money;
  const credits = (count: number): string => `${grouped(count)} ${count === 1 ? 'credit' : 'credits'}`;
  const paid = cost === null || spent === 0 ? '' : ` (${moneyWords(cost)})`;
  const fact = spent === 0 ? 'It cost nothing' : `It cost ${atMost(spent, isAtMost, credits(spent))}${paid}`;
  const also = [
    ...(saved === 0
      ? []
      : [
          `${grouped(saved)}${spent === 0 ? '' : ' more'} ${saved === 1 ? 'was' : 'were'} saved by asking once`,
        ]),
    ...(inDoubt === 0 ? [] : [`${credits(inDoubt)} may have been charged for answers that were lost`]),
    ...(sandbox ? ['this is play money'] : []),
  ];
  return `${[fact, ...also].join('; ')}.`;
}

const IDENTIFIERS: Readonly<Record<string, string>> = {
  ...{ abn: 'ABN', email: 'e-mail', profile_url: 'profile', profile_slug: 'profile name' },
  ...{ domain: 'domain', website: 'website' },
};

/** `ABN and domain` of `abn+domain`. */
const identifierWords = (name: string): string =>
  listed(name.split('+').map((part) => IDENTIFIERS[part] ?? part.replaceAll('_', ' ')));

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `94 %` of what was found; `100 %` and `0 %` only where that is all, and nothing. */
function shareWords(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  const shown = part > 0 && part < whole ? Math.min(99, Math.max(1, Math.round(share))) : share;
  return `${shown} %`;
}

/** `rows 12 and 15`, `rows 2, 3, 4, 5, 6 and 40 more`. */
function rowWords(count: number, firstRows: readonly number[]): string {
  const more = count - firstRows.length;
  const named = listed([...firstRows.map(String), ...(more > 0 ? [`${grouped(more)} more`] : [])]);
  return `${count === 1 ? 'row' : 'rows'} ${named}`;
}
