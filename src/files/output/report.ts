import { withoutWordWords } from '../../core/action-words.ts';
import { isoTime } from '../../core/clock.ts';
import { atMost, escapeHtml, grouped, plainText, sentence } from '../../core/plain-text.ts';
import type { RowStatus } from '../../core/row.ts';
import { limitPerSecondOf } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, ShownMoney } from '../../ledger/ledger.ts';
import type { IdentifierTally, Tally } from '../../ledger/tally.ts';
import { type ChangeEnd, type ChangesDone, changesSentence, type EndCounts } from './changes-done.ts';
import {
  activityChart,
  CHART_BUCKETS,
  CHART_STYLE,
  CHART_UNIT_MS,
  type ChartData,
} from './report/activity-chart.ts';

/** What the picture of a batch's work is drawn from. */
export async function chartOf(ledger: LedgerReader, batch: Batch): Promise<ChartData> {
  const activity = await ledger.activity(batch.id, CHART_BUCKETS, CHART_UNIT_MS);
  const untilMs = activity.fromMs + activity.bucketMs * activity.buckets.length;
  const pauses = await ledger.pauses(batch.accountIdentity, activity.fromMs, untilMs);
  return { activity, pauses, limitPerSecond: limitPerSecondOf(batch.settings) };
}

/**
 * The report of a batch: one HTML file without scripts and without anything to load, so that it can be mailed. It says
 * nothing that the ledger and the input do not say, so writing it again gives the same bytes.
 * @param changes left out: the batch changes nothing.
 */
export function reportHtml(
  batch: Batch,
  money: ShownMoney,
  tally: Tally,
  chart: ChartData,
  changes?: ChangesDone,
): string {
  const title = `${batch.operation} · batch ${batch.id}`;
  // What the service does costs no credits, so nothing is said of them.
  const hasCosts = batch.vendor === 'provider' || money.spent + money.inDoubt > 0;
  const sections = [
    ...(changes === undefined
      ? [statusSection(tally), identifierSection(tally)]
      : [changeSection(changes), overtakenSection(changes)]),
    hasCosts ? creditSection(money, tally) : '',
    resultsSection(tally),
    formulaSection(tally),
    chartSection(chart),
    attentionSection(tally),
    changes === undefined ? '' : missingSection(changes),
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${plainHtml(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${plainHtml(title)}</h1>
<p>${plainHtml(batch.inputPath)}, ${rows(batch.inputRows)}${beyondWords(batch)}, account ${plainHtml(batch.accountName)}${
    batch.sandbox ? ' (sandbox: nothing here is real)' : ''
  }.</p>
<p>Begun ${isoTime(batch.createdAtMs)}${commandWords(batch)}</p>
${sections.join('\n')}
</main>
</html>
`;
}

/** Should a text ever stand in it as more than text, a browser still runs nothing, loads nothing and sends nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/** Any text as HTML shows it. */
function plainHtml(text: string): string {
  return escapeHtml(plainText(text));
}

const STYLE = `${CHART_STYLE}
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse } th, td { text-align: left; padding: .25rem 1.5rem .25rem 0; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.n { white-space: nowrap }
h1, p, td.file, td:last-child:not(.n) { overflow-wrap: anywhere }
@media (max-width: 40rem) { th, td { padding-right: .75rem } }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
.bar { display: inline-block; height: .7rem; background: #3a7bd5; border-radius: 2px }
`;

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return ` and ${grouped(rowsBeyond)} ${rowsBeyond === 1 ? 'person' : 'people'} whom it does not name`;
}

/** The words that go on with it, as they were typed last. */
function commandWords({ command }: Batch): string {
  return command === undefined ? '.' : `, with <code>${plainHtml(command)}</code>`;
}

/** What each status means, in the order of the table. */
const STATUS_WORDS: readonly (readonly [RowStatus, string])[] = [
  ['matched', 'found at the vendor'],
  ['no_match', 'the vendor knows nothing'],
  ['invalid', 'no usable identifier; nothing was asked'],
  ['refused', 'the vendor refused every request'],
  ['in_doubt', 'an answer was lost or cannot be read, and may have been charged, or the vendor gave none'],
  ['skipped', 'left out while in doubt'],
  ['pending', 'not worked on yet'],
];

function statusSection({ counts }: Tally): string {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const lines = STATUS_WORDS.flatMap(([status, words]) => {
    const count = counts.get(status) ?? 0;
    if (count === 0) return [];
    const width = (count / all) * 12;
    const bar = `<span class="bar" style="width:${width.toFixed(2)}rem"></span>`;
    return [
      `<tr><td>${status}<td class="n">${grouped(count)}<td class="n">${percent(count, all)}<td>${bar} ${words}`,
    ];
  });
  return section('Rows', ['status', '#rows', '#share', ''], lines);
}

function identifierSection({ identifiers }: Tally): string {
  const lines = [...identifiers].map(
    ([name, { asked, found }]: [string, IdentifierTally]) =>
      `<tr><td>${plainHtml(name)}<td class="n">${grouped(asked)}<td class="n">${grouped(found)}<td class="n">${percent(found, asked)}`,
  );
  return section('Match rate by identifier', ['identifier', '#rows asked', '#found', '#match rate'], lines);
}

/** What each end of a change means, in the order of the columns. */
const END_WORDS: readonly (readonly [ChangeEnd, string, string])[] = [
  ['applied', 'applied', 'changed as asked'],
  ['unchanged', 'unchanged', 'already so'],
  ['held_back', 'held back', 'not in the list, and not removed, for the reason given'],
  ['refused', 'refused', 'not done, for the reason given'],
  ['in_doubt', 'in doubt', 'an answer was lost or cannot be read; it may have been done'],
  ['skipped', 'left out', 'left out while in doubt'],
  ['invalid', 'invalid', 'cannot be used; nothing was sent'],
  ['pending', 'pending', 'not worked on yet'],
];

/** What became of each person, by project and role. An invalid row counts, and has neither. */
function changeSection(changes: ChangesDone): string {
  const ends = END_WORDS.filter(([end]) => changes.counts[end] !== undefined);
  const cells = (counts: EndCounts): string =>
    ends.map(([end]) => `<td class="n">${counts[end] === undefined ? '' : grouped(counts[end])}`).join('');
  const lines = changes.groups.map(({ project = '', to, counts }) => {
    const wanted = to === 'none' ? 'to be out' : to;
    return `<tr><td>${plainHtml(project)}<td>${plainHtml(wanted)}${cells(counts)}`;
  });
  const columns = ['project', 'wanted', ...ends.map(([, word]) => `#${word}`)];
  const all = `<tr><td>all<td>${cells(changes.counts)}`;
  return [
    '<h2>Changes</h2>',
    `<p>${plainHtml(capital(sentence(changesSentence(changes))))}</p>`,
    ...(changes.withoutWord === 0
      ? []
      : [`<p>${capital(sentence(withoutWordWords(changes.withoutWord)))}</p>`]),
    table(columns, [...lines, all]),
    `<p>${ends.map(([, word, meaning]) => capital(`${word}: ${meaning}.`)).join(' ')}</p>`,
  ].join('\n');
}

/** People whom other batches have changed since: what this report says of them is not so any more. */
function overtakenSection({ overtaken }: ChangesDone): string {
  const lines = overtaken
    .slice(0, OVERTAKEN_SHOWN)
    .map(({ row, who, since }) => `<tr><td class="n">${row}<td>${plainHtml(who)}<td>${plainHtml(since)}`);
  const rest = overtaken.length - lines.length;
  const more = rest > 0 ? `\n<p>And ${grouped(rest)} more, in the output.</p>` : '';
  return section('Since then', ['#row', 'who', 'what'], lines) + more;
}

const OVERTAKEN_SHOWN = 1_000;

/** Whom the list does not name: they have no row of it on which it could be said. */
function missingSection({ removed, notRemoved }: ChangesDone): string {
  const lines = [...notRemoved, ...removed]
    .slice(0, MISSING_SHOWN)
    .map(({ email, userId, project = '', ended, reason }) => {
      const cells = [
        email ?? userId ?? '',
        project,
        ended === 'applied' ? 'removed' : endWord(ended),
        reason,
      ];
      return `<tr>${cells.map((cell) => `<td>${plainHtml(cell)}`).join('')}`;
    });
  const rest = removed.length + notRemoved.length - lines.length;
  const more = rest > 0 ? `\n<p>And ${grouped(rest)} more, in the files beside this report.</p>` : '';
  return section('Not in the list', ['who', 'project', 'what became of it', 'reason'], lines) + more;
}

const MISSING_SHOWN = 1_000;

const endWord = (end: ChangeEnd): string => END_WORDS.find(([each]) => each === end)?.[1] ?? end;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The file that stands beside this report. */
function resultsSection({ results }: Tally): string {
  if (results === undefined) return '';
  const line = `<tr><td class="file">${plainHtml(results.file)}<td class="n">${grouped(results.count)}`;
  return section('Results', ['file', '#lines'], [line]);
}

/** Tells a user who looks for a value as the vendor wrote it why the cell begins otherwise. */
function formulaSection({ formulas }: Tally): string {
  if (formulas === 0) return '';
  const cells = `${grouped(formulas)} ${formulas === 1 ? 'cell' : 'cells'}`;
  return `<h2>Formulas</h2>\n<p>${cells} that would have begun a formula in a spreadsheet got an apostrophe (&#39;) in front.</p>`;
}

const AT_MOST =
  'What answers cost is not stated by all of them, nor published: it may have been less, and so may the numbers in <code>_credits</code>.';

function creditSection({ cap, spent, isExact, inDoubt }: ShownMoney, { saved }: Tally): string {
  const lines = [
    `<tr><td>${atMost(spent, isExact, 'spent')}<td class="n">${grouped(spent)}`,
    `<tr><td>in doubt: may have been charged<td class="n">${grouped(inDoubt)}`,
    `<tr><td>saved by asking once<td class="n">${grouped(saved)}`,
    `<tr><td>budget<td class="n">${cap === undefined ? 'none' : grouped(cap)}`,
  ];
  const table = section('Credits', ['', '#credits'], lines);
  return isExact || spent === 0 ? table : `${table}\n<p>${AT_MOST}</p>`;
}

function chartSection(chart: ChartData): string {
  const drawing = activityChart(chart);
  if (drawing === '') return '';
  const words = [
    'Bars: requests per second. Line: credits spent. Times are UTC.',
    ...(chart.limitPerSecond === undefined ? [] : ["Dashed: the account's limit on average."]),
    ...(chart.pauses.length === 0 ? [] : ['Shaded: pauses.']),
  ];
  return `<h2>Speed</h2>\n${drawing}\n<p>${words.join(' ')}</p>`;
}

function attentionSection({ attention, counts, nameColumn }: Tally): string {
  if (attention.length === 0) return '<h2>Needs attention</h2>\n<p>Nothing.</p>';
  const named = nameColumn === undefined ? [] : [plainHtml(nameColumn)];
  const lines = attention.map(({ row, name, kind, reason }) => {
    const cells = [...(named.length === 0 ? [] : [name]), kind, reason];
    return `<tr><td class="n">${row}${cells.map((cell) => `<td>${plainHtml(cell)}`).join('')}`;
  });
  const all = (['invalid', 'refused', 'in_doubt'] as const).reduce(
    (sum, kind) => sum + (counts.get(kind) ?? 0),
    0,
  );
  const rest = all - attention.length;
  const more =
    rest > 0 ? `\n<p>And ${rows(rest)} more, in the needs-attention file beside this report.</p>` : '';
  return section('Needs attention', ['#row', ...named, 'status', 'reason'], lines) + more;
}

/** A heading and a table; a column name that begins with # is a column of numbers. */
function section(title: string, columns: readonly string[], lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<h2>${title}</h2>\n${table(columns, lines)}`;
}

function table(columns: readonly string[], lines: readonly string[]): string {
  const heads = columns.map((name) =>
    name.startsWith('#') ? `<th class="n">${name.slice(1)}` : `<th>${name}`,
  );
  return `<table>\n<tr>${heads.join('')}\n${lines.join('\n')}\n</table>`;
}

function rows(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'row' : 'rows'}`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '' : `${((part / whole) * 100).toFixed(1)} %`;
}
