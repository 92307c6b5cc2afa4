import { REPORT_STYLE } from '../../../files/output/report/style.ts';
import { Whole } from '../../../files/output/report/whole.ts';
import type { Download, ReportObject } from '../../api.ts';
import { Act, Loaded } from '../parts/asking.tsx';
import { Button, ButtonLink, Title } from '../parts/controls.tsx';
import { downloadFile } from '../session.ts';

const NOT_HERE = 'This list is not here. It may have been deleted, or be in another store.';

/** The style of the file itself. */
const style = new CSSStyleSheet();
style.replaceSync(REPORT_STYLE);
document.adoptedStyleSheets.push(style);

/** One page for a manager: what was found, what it cost, and what needs whom. */
export function Report({ id }: { readonly id: string }) {
  const download = (what: Download, says: string, look?: 'quiet') => (
    <Act says={says} look={look} does={() => downloadFile(`/batches/${id}/files/${what}`)} />
  );
  return (
    <Loaded<ReportObject> path={`/batches/${id}/report?plan=true`} view="Report" missing={NOT_HERE}>
      {(report) => {
        const isMissed = report.not_found.length > 0;
        const others = isMissed && <a href={`/files/${id}?show=no_match`}>All of them in the table</a>;
        return (
          <>
            <Title name="Report" facts={report.list}>
              <ButtonLink look="quiet" to={`/files/${id}`} says="See the list" />
              {download('output', 'Download the list', 'quiet')}
              {report.figures.reasons.length > 0 &&
                download('needs_attention', 'The rows that need attention', 'quiet')}
              <Button says="Print" onClick={() => print()} />
              {download('report', 'Download the report')}
            </Title>
            <div class="view" tabIndex={-1}>
              <article class="paper a4">
                <Whole {...report} others={others} />
              </article>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
