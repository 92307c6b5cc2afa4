import { basename } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { isoTime } from '../../core/clock.ts';
import { counted, grouped, plainText } from '../../core/plain-text.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { listNameOf } from '../called.ts';
import { Fold, Table } from './report/parts.ts';
import { REPORT_STYLE } from './report/style.ts';
import { Whole } from './report/whole.ts';
import { madePlain } from './report-facts.ts';
import type { ReportObject } from './report-object.ts';

/** Paths of the files beside the report, to which it links. */
export interface FilesBeside {
  readonly output: string;
  readonly attention: string | undefined;
}

/**
 * The report of a batch for people who never typed a command. It is one HTML file without scripts that loads
 * nothing and leads nowhere: it is whole when it is mailed, and printed on one page. Facts for the operator
 * alone are folded away at its end. A report that is written again has the same bytes. The page shows the
 * same parts.
 */
export function reportHtml(batch: Batch, report: ReportObject, { output, attention }: FilesBeside): string {
  const record = { columns: ['what', 'which'], lines: madePlain(recordLines(batch)) };
  const forTheRecord = h(Fold, { title: 'For the record' }, h(Table, record));
  const answers = plainText(basename(output));
  const needing =
    attention === undefined ? '' : `; the rows that need attention: ${plainText(basename(attention))}`;
  const files = h('p', { class: 'soft' }, `The list with the answers: ${answers}${needing}`);
  const others = report.not_found.length < (report.counts.no_match ?? 0) && `They are in ${answers}.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
${renderToString(h('title', null, report.list))}
<style>${STYLE}</style>
${renderToString(h('main', { class: 'a4' }, h(Whole, { ...report, others }, forTheRecord, files)))}
</html>
`;
}

/** If a text ever stood in the report as markup, a browser would still run, load and send nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/** The colours of the page, and what stands around the report. */
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2024, #e8eaed); --paper: light-dark(#fff, #1c1f23) }
:root { --green: light-dark(#17724a, #5bc98f); --amber: light-dark(#8a5000, #e8b45e) }
:root { --soft: color-mix(in srgb, var(--ink) 68%, var(--paper)) }
:root { --line: color-mix(in srgb, var(--ink) 13%, var(--paper)); background: var(--paper); color: var(--ink) }
:root { font: .875rem/1.4286 system-ui, sans-serif; font-variant-numeric: tabular-nums }
* { box-sizing: border-box; min-width: 0; margin: 0; padding: 0; overflow-wrap: anywhere }
${REPORT_STYLE}`;

/** The facts by which the operator finds the batch. */
function recordLines(batch: Batch): readonly (readonly string[])[] {
  const { operation, accounts, createdAtMs, inputPath } = batch;
  const names = accounts.map(({ name }) => name).join(', ');
  const leftOut = readSettings(batch.settings).asBefore?.left_out ?? [];
  return [
    ['batch', batch.id],
    ['operation', operation],
    ['account', `${names}${batch.sandbox ? ' (sandbox: nothing here is real)' : ''}`],
    ['list', `${listNameOf(inputPath)}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`],
    ...leftOut.map(({ rows: which, text }) => ['left out of it', `row ${which}: ${text}`]),
    ['begun', `${isoTime(createdAtMs)} (UTC)`],
  ];
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  return rowsBeyond === 0 ? '' : ` and ${grouped(rowsBeyond)} for people whom it does not name`;
}
