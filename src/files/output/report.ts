import { basename } from 'node:path';
import { withoutWordWords } from '../../core/action-words.ts';
import { isoTime } from '../../core/clock.ts';
import { counted, escapeMarkup, grouped, plainText, sentence } from '../../core/plain-text.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { listNameOf } from '../list-name.ts';
import type { BatchFigures } from './batch-figures.ts';
import {
  type ChangeEnd,
  type ChangesDone,
  changesSentence,
  END_WORDS,
  type EndCounts,
} from './changes-done.ts';
import { type BatchSummary, capital, summaryOf } from './summary-words.ts';

export interface ReportOptions {
  readonly batch: Batch;
  readonly figures: BatchFigures;
  /** Undefined for a batch that changes nothing. */
  readonly changes: ChangesDone | undefined;
  /** Paths of the files beside the report, to which it links. */
  readonly files: { readonly output: string; readonly attention: string | undefined };
}

/**
 * The report of a batch for people who never typed a command. It is one HTML file without scripts, and it
 * loads nothing, so that it can be mailed and printed. Facts for the operator alone are folded away at its
 * end. A report that is written again has the same bytes.
 */
export function reportHtml(options: ReportOptions): string {
  const { batch, figures, changes } = options;
  const summary = summaryOf(batch, figures, changes && changesSentence(changes));
  const name = plainHtml(listNameOf(batch.inputPath));
  const sections = [
    headSection(options, summary),
    ...(changes === undefined
      ? [funnelSection(figures, summary), columnsSection(figures), accountsSection(figures)]
      : [changeSection(changes)]),
    reasonsSection(options, summary),
    changes === undefined ? '' : missingSection(changes),
    `<details>\n<summary>For the record</summary>\n${recordSection(options)}\n</details>`,
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<style>${STYLE}</style>
<main>
${sections.filter((section) => section !== '').join('\n')}
</main>
</html>
`;
}

/** If a text ever stood in the report as markup, a browser would still run, load and send nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.1rem; margin-top: 2rem }
.when, .play { margin: 0; opacity: .75 } .headline { font-size: 1.3rem; margin: 1.5rem 0 0 } .headline + p { margin-top: .25rem }
.funnel { display: flex; flex-wrap: wrap; gap: .5rem 2rem; list-style: none; margin: 1.5rem 0 .5rem; padding: 0 }
.funnel b { font-size: 1.3rem; font-variant-numeric: tabular-nums }
table { border-collapse: collapse } th, td { text-align: left; padding: .25rem 1.5rem .25rem 0; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.n { white-space: nowrap }
h1, p, td:last-child:not(.n) { overflow-wrap: anywhere }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
.bar { display: inline-block; height: .7rem; background: #3a7bd5; border-radius: 2px; print-color-adjust: exact }
details { margin-top: 1.5rem } summary { cursor: pointer; font-weight: 600 }
@media (max-width: 40rem) { th, td { padding-right: .75rem } }
@media print { main { margin: 0 } h2, tr, .funnel { break-inside: avoid } }
`;

function headSection({ batch, files }: ReportOptions, { headline, cost, needs }: BatchSummary): string {
  const links = [
    link(
      files.output,
      /\.xlsx$/i.test(files.output) ? 'The workbook with the answers' : 'The list with the answers',
    ),
    ...(files.attention === undefined ? [] : [link(files.attention, 'The rows that need you')]),
  ];
  return [
    `<h1>${plainHtml(listNameOf(batch.inputPath))}</h1>`,
    `<p class="when">${plainHtml(localTime(batch.createdAtMs))}</p>`,
    ...(batch.sandbox ? ['<p class="play">Play money: nothing here is real.</p>'] : []),
    `<p class="headline"><strong>${plainHtml(headline)}</strong></p>`,
    `<p>${[cost, needs].flatMap((words) => (words === undefined ? [] : plainHtml(words))).join('<br>')}</p>`,
    `<p>${links.join(' · ')}</p>`,
  ].join('\n');
}

/** `22 November 2026, 16:26 (Sydney)`, on the machine that writes the report. */
function localTime(atMs: number): string {
  const at = new Date(atMs);
  // Each further format takes milliseconds.
  const format = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long' });
  const day = format.format(at);
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = format.resolvedOptions().timeZone;
  const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return `${day}, ${time} (${city})`;
}

function funnelSection({ rows, usable, asked, found }: BatchFigures, { identifiers }: BatchSummary): string {
  const steps = [
    [rows, rows === 1 ? 'row' : 'rows'],
    [usable, 'usable'],
    [asked, 'asked'],
    [found, 'found'],
  ] as const;
  const shown = steps.map(([count, word]) => `<li><b>${grouped(count)}</b> ${word}`);
  return `<ol class="funnel">\n${shown.join('\n')}\n</ol>${identifiers === '' ? '' : `\n<p>${plainHtml(identifiers)}</p>`}`;
}

function columnsSection({ columns, found }: BatchFigures): string {
  const lines = columns.map(({ name, filled }): ReportLine => {
    const words = `${grouped(filled)} of ${grouped(found)}`;
    return [name, { bar: found === 0 ? 0 : filled / found, words }];
  });
  return section('What came back', ['column', 'filled'], lines);
}

function reasonsSection(
  { figures: { reasons }, files: { attention } }: ReportOptions,
  { rows: named }: BatchSummary,
): string {
  const lines = reasons.map(({ rows: count, words }, at): ReportLine => {
    const rows = named[at] ?? '';
    return [grouped(count), words, attention === undefined ? rows : { html: link(attention, rows) }];
  });
  return section('What needs you', ['#rows', 'why', 'which'], lines);
}

/** The facts by which the operator finds the batch. */
function recordSection({ batch }: ReportOptions): string {
  const { operation, accounts, createdAtMs, inputPath } = batch;
  const names = accounts.map(({ name }) => name).join(', ');
  const leftOut = readSettings(batch.settings).asBefore?.left_out ?? [];
  const lines: ReportLine[] = [
    ['batch', batch.id],
    ['operation', operation],
    ['account', `${names}${batch.sandbox ? ' (sandbox: nothing here is real)' : ''}`],
    ['list', `${basename(inputPath)}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`],
    ...leftOut.map(({ rows: which, text }): ReportLine => ['left out of it', `row ${which}: ${text}`]),
    ['begun', `${isoTime(createdAtMs)} (UTC)`],
  ];
  return table(['what', ''], lines);
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return ` and ${counted(rowsBeyond, 'person', 'people')} whom it does not name`;
}

/** How the changes for people ended, by project and role. An invalid row counts, and has neither. */
function changeSection(changes: ChangesDone): string {
  const ends = END_WORDS.filter(([end]) => changes.counts[end] !== undefined);
  const cells = (counts: EndCounts): string[] =>
    ends.map(([end]) => (counts[end] === undefined ? '' : grouped(counts[end])));
  const lines = changes.projects.map(({ project, to, counts }) => {
    return [project ?? '', to === 'none' ? 'to be out' : to, ...cells(counts)];
  });
  const columns = ['project', 'wanted', ...ends.map(([, word]) => `#${word}`)];
  const { without_a_word: count } = changes;
  const words = count === 0 ? [] : [withoutWordWords(count)];
  return [
    '<h2>Changes</h2>',
    ...words.map((fact) => `<p>${plainHtml(capital(sentence(fact)))}</p>`),
    table(columns, [...lines, ['all', '', ...cells(changes.counts)]]),
    `<p>${ends.map(([, word, meaning]) => capital(`${word}: ${meaning}.`)).join(' ')}</p>`,
  ].join('\n');
}

/** People whom the list does not name. They have no row in the output that could show their end. */
function missingSection({ missing }: ChangesDone): string {
  const lines = missing.map(({ email, userId, project = '', ended, reason }) => {
    const word = ended === 'applied' ? 'removed' : endWord(ended);
    return [email ?? userId ?? '', project, word, reason];
  });
  return section('Not in the list', ['who', 'project', 'what became of it', 'reason'], lines);
}

const endWord = (end: ChangeEnd): string => END_WORDS.find(([each]) => each === end)?.[1] ?? end;

// ------------------------------------------------------------------------------------------ elements

/** The elements of a report. Any text in them is shown as text. */

function plainHtml(text: string): string {
  return escapeMarkup(plainText(text));
}

/** A cell with any text, with the bar of a share before it, or as HTML of ours. */
type Cell = string | { readonly bar: number; readonly words: string } | { readonly html: string };
type ReportLine = readonly Cell[];

/** What each account was asked and found, where there are several. */
function accountsSection({ steps = [] }: BatchFigures): string {
  const lines = steps.map(({ operation, account, reached, found, credits }): ReportLine => {
    const rows = [grouped(found), grouped(reached)];
    return [account, operation, ...rows, grouped(credits.spent), grouped(credits.for_misses)];
  });
  return section('Who found it', ['account', 'asked for', '#found', '#of', '#credits', '#for misses'], lines);
}

/** A heading and a table; a column name that begins with # is a column of numbers. */
function section(title: string, columns: readonly string[], lines: readonly ReportLine[]): string {
  return lines.length === 0 ? '' : `<h2>${title}</h2>\n${table(columns, lines)}`;
}

function table(columns: readonly string[], lines: readonly ReportLine[]): string {
  const classes = columns.map((name) => (name.startsWith('#') ? ' class="n"' : ''));
  const heads = columns.map((name, at) => `<th${classes[at]}>${plainHtml(name.replace(/^#/, ''))}`);
  const bodies = lines.map(
    (line) => `<tr>${line.map((cell, at) => `<td${classes[at]}>${cellHtml(cell)}`).join('')}`,
  );
  return `<table>\n<tr>${heads.join('')}\n${bodies.join('\n')}\n</table>`;
}

function cellHtml(cell: Cell): string {
  if (typeof cell === 'string') return plainHtml(cell);
  if ('html' in cell) return cell.html;
  return `<span class="bar" style="width:${(cell.bar * 12).toFixed(2)}rem"></span> ${cell.words}`;
}

function link(path: string, words: string): string {
  return `<a href="${escapeMarkup(`./${encodeURIComponent(basename(path).toWellFormed())}`)}">${plainHtml(words)}</a>`;
}
