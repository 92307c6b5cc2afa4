import { rowsWords } from '../../../files/output/report/needs.ts';
import { Whole } from '../../../files/output/report/whole.ts';
import type { ReportObject, Tickets } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { take, useAction } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import type { Params } from '../shell.tsx';

/** One page for a manager: what was found, what it cost, and what needs whom. */
export function Report({ params: { batch = '' } }: { readonly params: Params }) {
  return (
    <Loaded<ReportObject> path={`/batches/${batch}/report`}>
      {(report) => (
        <article class="a4">
          <Whole
            {...report}
            files={<Files batch={batch} needsSome={report.figures.attention > 0} />}
            which={rowsWords}
          />
        </article>
      )}
    </Loaded>
  );
}

function Files({ batch, needsSome }: { readonly batch: string; readonly needsSome: boolean }) {
  const action = useAction();
  const download = (what: keyof Tickets, says: string) => (
    <Button disabled={action.isBusy.value} onClick={() => action.run(() => take(batch, what))} says={says} />
  );
  return (
    <span class="row screen">
      {download('output', 'Download the list')}
      {needsSome && download('needs_attention', 'The rows that need you')}
      {download('report', 'Download the report')}
      <RefusedNotice refused={action.refused.value} />
    </span>
  );
}
