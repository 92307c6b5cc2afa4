import { rowsWords } from '../../../files/output/report/needs.ts';
import { Whole } from '../../../files/output/report/whole.ts';
import type { Download, ReportObject } from '../../api.ts';
import { Act, Loaded } from '../parts/asking.tsx';
import { take } from '../session.ts';

/** One page for a manager: what was found, what it cost, and what needs whom. */
export function Report({ id }: { readonly id: string }) {
  const download = (what: Download, says: string) => <Act says={says} does={() => take(id, what)} />;
  return (
    <Loaded<ReportObject> path={`/batches/${id}/report`}>
      {(report) => {
        const files = (
          <span class="row">
            {download('output', 'Download the list')}
            {report.figures.reasons.length > 0 && download('needs_attention', 'The rows that need you')}
            {download('report', 'Download the report')}
          </span>
        );
        return (
          <article>
            <Whole {...report} files={files} which={rowsWords} />
          </article>
        );
      }}
    </Loaded>
  );
}
