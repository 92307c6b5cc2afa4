import { h } from 'preact';
import { needingAttention, rowsPending } from '../../../core/counts.ts';
import { atMost, counted, grouped } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';
import {
  accountWords,
  askedIdentifiers,
  countedOf,
  moneyWords,
  ofList,
  paidWords,
  percent,
  stepCost,
  whatWords,
} from '../summary-words.ts';
import { Lines, type LinesProps, type Meter, Meters } from './arranged.ts';
import { identifierWords } from './found.ts';
import { shareWords } from './parts.ts';

/** What was looked up and found, what that cost and what was free, and what came back. */

export function Found(report: ReportObject) {
  return [
    h(Rows, report),
    h('div', { class: 'pair' }, h(Cost, report), h(CameBack, report)),
    h(Steps, report),
  ];
}

/** Where the rows went: those of the first part add up to all of them, and so do those of the second. */
function Rows(report: ReportObject) {
  const { counts, figures, steps } = report;
  const { rows, usable, found, filled_before: filled, mismatched = 0 } = figures;
  const { asked, known, twice, found_free: free } = ofList(report);
  const pending = rowsPending(report);
  const leftOut = usable - asked - known - twice - pending - filled;
  const bad = rows - usable;
  const never = steps === undefined ? 'Not asked' : 'Not finished';
  const went: readonly Meter[] = [
    meter('Looked up', asked, rows, requestWords(report)),
    meter('Known before', known, rows, 'free'),
    meter('Share an answer', twice, rows, 'free'),
    meter('Had it already', filled, rows, 'free'),
    meter('Left out', leftOut, rows, leftOutWords(figures), 'none'),
    meter(never, pending, rows, '', 'none'),
    meter('Cannot be used', bad, rows, '', 'need'),
  ];
  const came: readonly Meter[] = [
    meter('Found', found, rows, free > 0 ? `${grouped(free)} of them free` : ''),
    meter('Not found', counts.no_match ?? 0, rows, missWords(report), 'none'),
    meter('Need attention', needingAttention(counts), rows, '', 'need'),
  ];
  // These are rows of the parts above, and so none of their own.
  const damaged = figures.attention - needingAttention(counts) - mismatched;
  const beside: readonly Meter[] = [
    meter('Perhaps another one', mismatched, rows, 'of those found', 'need'),
    meter('With a damaged cell', damaged, rows, 'of those done', 'need'),
  ];
  const isTold = ({ part }: Meter): boolean => part > 0;
  return h(Meters, {
    of: [
      { name: rows === 1 ? 'Row' : 'Rows', part: 0, all: rows, says: grouped(rows) },
      ...went.filter(isTold),
      ...came.filter(isTold),
      ...beside.filter(isTold),
    ],
  });
}

/** Rows may share a request, and a row may take several. Those of earlier starts are not known here. */
const requestWords = ({ figures: { asked, in_all: all }, requests }: ReportObject): string =>
  all !== undefined || asked === requests ? '' : `by ${counted(requests, 'request')}`;

const meter = (name: string, part: number, all: number, more = '', tone?: Meter['tone']): Meter => {
  return { name, part, all, says: [grouped(part), more].filter(Boolean).join(', '), tone };
};

/** `"Status" is "Customer" 60, "Status" is "Churned" 26`. */
function leftOutWords({ left_out: reasons = [] }: ReportObject['figures']): string {
  const [only] = reasons;
  if (only !== undefined && reasons.length === 1) return only.words;
  const shown = reasons.slice(0, MOST_LEFT_OUT).map(({ words, rows }) => `${words} ${grouped(rows)}`);
  return [...shown, ...(reasons.length > MOST_LEFT_OUT ? ['other reasons'] : [])].join(', ');
}

const MOST_LEFT_OUT = 3;

/** How many of those not found were paid; of several starts none says that. */
function missWords({ has_costs: hasCosts, counts, figures }: ReportObject): string {
  const { in_all: all, missed_paid: paid } = figures;
  if (!hasCosts || all !== undefined) return '';
  if (paid === 0) return 'free';
  return paid === counts.no_match ? 'paid' : `${grouped(paid)} of them paid`;
}

function Cost(report: ReportObject) {
  if (!report.has_costs) return null;
  const { credits, accounts, cost } = ofList(report);
  const money = moneyWords(cost);
  const totalLines = [['Credits', atMost(credits.spent, !credits.exact, grouped(credits.spent))]] as const;
  const paid = accounts?.map(({ account, spent }) => {
    return [accountWords(account), counted(spent, 'credit')] as const;
  });
  const { budget } = report.credits;
  const most = budget === null ? '' : counted(budget, 'credit');
  const last = report.figures.in_all && paidWords(report) + (most === '' ? '' : `, never more than ${most}`);
  return h(
    'section',
    null,
    h('h2', null, 'Cost'),
    h(Lines, {
      of: [
        ...(paid ?? totalLines),
        ['In doubt', credits.in_doubt > 0 ? counted(credits.in_doubt, 'credit') : ''],
        ['Never more than', last === undefined ? most : ''],
        ['In money', money, 'sum'],
        ['The last start, as in _credits', last ?? ''],
      ],
    }),
  );
}

/** The columns that were filled, and by what the rows were found. */
function CameBack({ figures, operation }: ReportObject) {
  const identifiers = askedIdentifiers(figures);
  if (figures.columns.length + identifiers.length === 0) return null;
  return h(
    'section',
    null,
    h('h2', null, `What came back, of ${countedOf(figures.found, operation)}`),
    h(Lines, {
      of: [
        ...columnLines(figures),
        ...identifiers.map(({ name, asked, found }) => {
          return [`Found by ${identifierWords(name)}`, shareWords({ part: found, all: asked })] as const;
        }),
      ],
    }),
  );
}

/** Columns that each of the found rows has filled are told together, and the others by how many have. */
function columnLines({ columns }: Pick<ReportObject['figures'], 'columns'>): LinesProps['of'] {
  const isWhole = ({ filled, found }: (typeof columns)[number]): boolean => filled === found;
  const whole = Map.groupBy(columns.filter(isWhole), ({ found }) => found);
  const parts = columns.filter((column) => !isWhole(column));
  const remainingParts = parts.length - MOST_COLUMNS;
  return [
    ...[...whole].map(([found, all]) => [namesOf(all), grouped(found)] as const),
    ...parts.slice(0, MOST_COLUMNS).map(({ name, filled, found }) => {
      return [name, `${grouped(filled)}, ${percent(filled, found)}`] as const;
    }),
    ['Other columns', remainingParts > 0 ? grouped(remainingParts) : ''],
  ];
}

const MOST_COLUMNS = 10;

/** `name, phone, city and 3 more`. */
function namesOf(columns: readonly { readonly name: string }[]): string {
  const names = columns.slice(0, MOST_COLUMNS).map(({ name }) => name);
  const more = columns.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
}

/** What each account was asked and found at which price, where there are several. */
function Steps({ steps = [] }: ReportObject) {
  if (steps.length === 0) return null;
  const lines = steps.map((step) => {
    const found = shareWords({ part: step.found, all: step.reached });
    return [
      `${accountWords(step.account)}: ${whatWords(step.operation)}`,
      `${found}; ${stepCost(step)}`,
    ] as const;
  });
  return h('section', null, h('h2', null, 'Who found it'), h(Lines, { of: lines }));
}
