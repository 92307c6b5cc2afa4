import type { ComponentChildren } from 'preact';
import { describedOperation } from '../../../../../core/described.ts';
import type { BatchStatusObject, ViewRequest } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { counted } from '../../../parts/figures.ts';
import { downloadFile } from '../../../session.ts';
import { batchShown } from '../rows.ts';
import { cellsTaken, type OfScene } from '../scene.ts';

interface DownloadsProps extends OfScene {
  readonly batch: BatchStatusObject;
  readonly close: () => void;
}

const WORKBOOK = /\.(?:xlsx|xlsm|ods)$/i;
const TEXT = /\.(?:csv|tsv|txt)$/i;

const findsPeople = (operation: string): boolean => describedOperation(operation)?.resultsFile === 'people';

/** What can be taken from the page: all of the list, what is in view, and the files beside it. */
export function Downloads({ scene, batch, close }: DownloadsProps) {
  const { inView, filter, report, name } = scene;
  const file = (name: string, path: string, body?: ViewRequest, says = name) => (
    <Act
      key={name}
      says={says}
      aria-label={name}
      does={async () => {
        await downloadFile(path, body);
        close();
      }}
    />
  );
  const files = `/batches/${batch.batch}/files`;
  const { sort, search, where, only_if, unless, differs } = filter.value;
  const shown = { search, where, only_if, unless, differs };
  const { columns, rows } = inView.value;
  const view = `/batches/${batch.batch}/view`;
  const of = (as: 'csv' | 'xlsx', isAll = false) => {
    const order = { ...(isAll ? {} : shown), ...(sort === undefined ? {} : { sort }) };
    return { as, ...order, columns: [...columns] } as ViewRequest;
  };
  // Her own file comes back in its own form. No workbook is written as text, so that its table is.
  const whole = (as: 'csv' | 'xlsx', isOwn: boolean): string => `${files}/output${isOwn ? '' : `?as=${as}`}`;
  const group = (says: string, ...files: readonly ComponentChildren[]) => (
    <fieldset class="stack tight">
      <legend>{says}</legend>
      <div class="bar">{files}</div>
    </fieldset>
  );
  const needed = (report.value?.figures.reasons.length ?? 0) > 0;
  const people = batch.operation.split(',').some(findsPeople);
  // The list that she is about to start has other columns than the batch.
  const isShown = batchShown(scene) !== undefined;
  const started = cellsTaken(scene).length > 0 ? ', as they were started' : '';
  const all = counted(batch.rows, 'row');
  return (
    <div class="stack">
      {group(
        `All ${all}${started}`,
        file(WORKBOOK.test(name) ? 'Your workbook, filled' : 'Workbook', whole('xlsx', WORKBOOK.test(name))),
        TEXT.test(name) ? file('CSV', whole('csv', true)) : file('CSV', view, { as: 'csv' }),
        !WORKBOOK.test(name) && !TEXT.test(name) && file('As it came', `${files}/output`),
        needed && file('The rows that need attention', `${files}/needs_attention`),
        people && file('All people that were found', `${files}/results`),
      )}
      {isShown &&
        group(
          `In view: ${rows}, ${counted(columns.length, 'column')}`,
          file('Workbook in view', view, of('xlsx'), 'Workbook'),
          file('CSV in view', view, of('csv'), 'CSV'),
          // Without a filter these are the rows in view.
          rows !== all && file(`Workbook, all ${all}`, view, of('xlsx', true)),
          rows !== all && file(`CSV, all ${all}`, view, of('csv', true)),
        )}
    </div>
  );
}
