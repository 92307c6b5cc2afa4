import { basename } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { isoTime } from '../../core/clock.ts';
import { counted, plainText } from '../../core/plain-text.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { listNameOf } from '../list-name.ts';
import type { BatchFigures } from './batch-figures.ts';
import { changesSentence } from './change-words.ts';
import type { ChangesDone } from './changes-done.ts';
import { Changes, NotInList } from './report/changes.ts';
import { Accounts, Columns, Funnel } from './report/found.ts';
import { Head } from './report/head.ts';
import { Needs } from './report/needs.ts';
import { Table } from './report/table.ts';
import { summaryOf } from './summary-words.ts';

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
 * end. A report that is written again has the same bytes. The page shows the same parts.
 */
export function reportHtml(options: ReportOptions): string {
  const { figures, changes, record, ...head } = madePlain(factsOf(options));
  const words = summaryOf(head, figures, changes && changesSentence(changes));
  const { reasons, steps = [] } = figures;
  const parts = [
    h(Head, { ...head, words }),
    changes === undefined
      ? [h(Funnel, { ...figures, words }), h(Columns, figures), h(Accounts, { steps })]
      : h(Changes, changes),
    h(Needs, { reasons, rows: words.rows, href: head.links[1]?.href }),
    changes && h(NotInList, changes),
    h('details', null, h('summary', null, 'For the record'), h(Table, record)),
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
${renderToString(h('title', null, head.list))}
<style>${STYLE}</style>
${renderToString(h('main', null, parts))}
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

function factsOf({ batch, figures, changes, files: { output, attention } }: ReportOptions) {
  const words = /\.xlsx$/i.test(output) ? 'The workbook with the answers' : 'The list with the answers';
  const links = [{ href: besideReport(output), words }];
  if (attention !== undefined) links.push({ href: besideReport(attention), words: 'The rows that need you' });
  return {
    list: listNameOf(batch.inputPath),
    created_at: isoTime(batch.createdAtMs),
    sandbox: batch.sandbox,
    links,
    figures,
    changes,
    record: { columns: ['what', ''], lines: recordLines(batch) },
  };
}

const besideReport = (path: string): string => `./${encodeURIComponent(basename(path).toWellFormed())}`;

/** Makes each text of the facts plain in one place, so that no part of the report can forget it. */
function madePlain<Facts>(facts: Facts): Facts {
  const plain = (_name: string, value: unknown) => (typeof value === 'string' ? plainText(value) : value);
  return JSON.parse(JSON.stringify(facts), plain);
}

/** The facts by which the operator finds the batch. */
function recordLines(batch: Batch): readonly (readonly string[])[] {
  const { operation, accounts, createdAtMs, inputPath } = batch;
  const names = accounts.map(({ name }) => name).join(', ');
  const leftOut = readSettings(batch.settings).asBefore?.left_out ?? [];
  return [
    ['batch', batch.id],
    ['operation', operation],
    ['account', `${names}${batch.sandbox ? ' (sandbox: nothing here is real)' : ''}`],
    ['list', `${basename(inputPath)}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`],
    ...leftOut.map(({ rows: which, text }) => ['left out of it', `row ${which}: ${text}`]),
    ['begun', `${isoTime(createdAtMs)} (UTC)`],
  ];
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return ` and ${counted(rowsBeyond, 'person', 'people')} whom it does not name`;
}
