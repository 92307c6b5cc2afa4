import { Changes, HeldBack } from '../../../../files/output/report/changes.ts';
import { Accounts, Columns, Identifiers } from '../../../../files/output/report/found.ts';
import { Needs, type Reason } from '../../../../files/output/report/needs.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { Button } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import type { Scene } from './scene.ts';

/** Beside the table once it has ended: what needs her, by what it was found, and what came back. */
export function Ended({ scene: { report, opened } }: { readonly scene: Scene }) {
  const { value, refused } = report;
  if (value === undefined)
    return (
      <aside aria-label="Results">
        <RefusedNotice refused={refused} />
      </aside>
    );
  const { figures, changes } = value;
  const which = ({ rows, first_rows: first }: Reason) => (
    <>
      {first.map((row) => (
        <span key={row}>
          <Button look="link" says={`row ${grouped(row)}`} onClick={() => (opened.value = row)} />{' '}
        </span>
      ))}
      {rows > first.length && `and ${grouped(rows - first.length)} more`}
    </>
  );
  return (
    <aside aria-label="Results">
      <Needs reasons={figures.reasons} which={which} />
      {changes === undefined ? (
        <>
          <Identifiers identifiers={figures.identifiers} />
          <Columns columns={figures.columns} found={figures.found} />
          <Accounts steps={figures.steps ?? []} />
        </>
      ) : (
        <>
          <HeldBack people={changes.people} />
          <h2>What was changed</h2>
          <Changes {...changes} />
        </>
      )}
    </aside>
  );
}
