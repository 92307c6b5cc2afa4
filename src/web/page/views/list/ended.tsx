import { Changes, HeldBack } from '../../../../files/output/report/changes.ts';
import { Accounts, Columns, Identifiers } from '../../../../files/output/report/found.ts';
import { Needs, type NeedsProps } from '../../../../files/output/report/needs.ts';
import type { ReportObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { Button } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import type { Scene } from './scene.ts';

/** Beside the table once it has ended: what needs her, by what it was found, and what came back. */
export function Ended({ scene }: { readonly scene: Scene }) {
  const { value: report, refused } = scene.report;
  const which: NeedsProps['which'] = ({ rows, first_rows: first }) => (
    <>
      {first.map((row) => [
        <Button
          key={row}
          look="link"
          says={`row ${grouped(row)}`}
          onClick={() => (scene.opened.value = row)}
        />,
        ' ',
      ])}
      {rows > first.length && `and ${grouped(rows - first.length)} more`}
    </>
  );
  return (
    <aside aria-label="Results">
      <RefusedNotice refused={refused} />
      {report && <Needs reasons={report.figures.reasons} which={which} />}
      {report && <Came {...report} />}
    </aside>
  );
}

/** Who was changed is marked in the table itself. */
function Came({ figures, changes }: ReportObject) {
  if (changes === undefined)
    return (
      <>
        <Identifiers identifiers={figures.identifiers} />
        <Columns columns={figures.columns} found={figures.found} />
        <Accounts steps={figures.steps ?? []} />
      </>
    );
  return (
    <>
      <HeldBack people={changes.people} />
      <section>
        <h2>What was changed</h2>
        <Changes {...changes} />
      </section>
    </>
  );
}
