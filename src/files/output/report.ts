import { basename } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { isoTime } from '../../core/clock.ts';
import { counted } from '../../core/plain-text.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { type NeedsProps, rowsWords } from './report/needs.ts';
import { Fold, Table } from './report/table.ts';
import { Whole } from './report/whole.ts';
import { madePlain } from './report-facts.ts';
import type { ReportObject } from './report-object.ts';

/** Paths of the files beside the report, to which it links. */
export interface FilesBeside {
  readonly output: string;
  readonly attention: string | undefined;
}

/**
 * The report of a batch for people who never typed a command. It is one HTML file without scripts, and it
 * loads nothing, so that it can be mailed and printed on one page. Facts for the operator alone are folded
 * away at its end. A report that is written again has the same bytes. The page shows the same parts.
 */
export function reportHtml(batch: Batch, report: ReportObject, { output, attention }: FilesBeside): string {
  const words = /\.xlsx$/i.test(output) ? 'The workbook with the answers' : 'The list with the answers';
  const toAttention = attention === undefined ? undefined : besideReport(attention);
  const files = [
    h('a', { href: besideReport(output) }, words),
    toAttention && [' · ', h('a', { href: toAttention }, 'The rows that need you')],
  ];
  const which: NeedsProps['which'] = (reason) => {
    const rows = rowsWords(reason);
    return toAttention === undefined ? rows : h('a', { href: toAttention }, rows);
  };
  const record = { columns: ['what', 'which'], lines: madePlain(recordLines(batch)) };
  const forTheRecord = h(Fold, { title: 'For the record' }, h(Table, record));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
${renderToString(h('title', null, report.list))}
<style>${STYLE}</style>
${renderToString(h('main', null, h(Whole, { ...report, files, which }, forTheRecord)))}
</html>
`;
}

/** If a text ever stood in the report as markup, a browser would still run, load and send nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

const STYLE = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 16px/1.45 system-ui, sans-serif }
main { max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 .5rem }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .25rem }
p { margin: .15rem 0 } .when, .play, small { opacity: .75 } .files { margin-top: .75rem }
.funnel { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem; margin: 1.5rem 0 .5rem }
.funnel { list-style: none; padding: 0 } .funnel small { display: block }
.funnel b { font-size: 1.3rem; font-variant-numeric: tabular-nums }
table { border-collapse: collapse } th { font-size: .85rem; font-weight: 400; opacity: .75 }
th, td { text-align: left; padding: .2rem 1.5rem .2rem 0; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.n { white-space: nowrap }
h1, p, td:not(.n) { overflow-wrap: anywhere }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
.bar { display: block; width: 100%; height: .4rem; border-radius: 2px }
.bar { fill: light-dark(#1a7f4b, #57c78b); background: #8884; print-color-adjust: exact }
td .bar { display: inline-block; width: 6rem; margin: 0 .75rem .1rem 0 }
.pair { display: flex; flex-wrap: wrap; column-gap: 1rem } .pair section { margin-right: auto }
details { margin-top: 1rem } summary { cursor: pointer; font-weight: 600 }
@media (max-width: 40rem) {
  th, td { padding-right: .75rem } .funnel { grid-template-columns: 1fr 1fr } td.n { white-space: normal }
}
@page { size: A4; margin: 14mm }
@media print {
  :root { font-size: 12px } main { margin: 0; padding: 0; max-width: none }
  h2, tr, .funnel { break-inside: avoid } h2 { break-after: avoid } main > details { display: none }
}
`;

const besideReport = (path: string): string => `./${encodeURIComponent(basename(path).toWellFormed())}`;

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
