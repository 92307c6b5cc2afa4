import { Button } from '../../parts/controls.tsx';
import type { Scene } from './scene.ts';

/** The lines of the file above her table, and where the names of the columns are. */
export function Above({ scene }: { readonly scene: Scene }) {
  const { described, job, choose } = scene;
  if (described.value === undefined) return null;
  const { top, header_row: header } = described.value.layout;
  const first = Number.parseInt(header, 10);
  const above = top.filter(({ row }) => row < first);
  const isNone = header === '0';
  const use = (row: string): void => choose({ ...job, read: { ...job.read, header_row: row } });
  return (
    <div class="above">
      {above.map(({ row, text }) => (
        <p key={row}>
          <span class="n">{row}</span>
          {text} <Button look="link" says={`use row ${row}`} onClick={() => use(String(row))} />
        </p>
      ))}
      <p class="soft">
        <label>
          {isNone ? 'Your columns have no names:' : `The names of your columns are in row ${header}:`}{' '}
          <select value={header} onChange={({ currentTarget }) => use(currentTarget.value)}>
            {top.every(({ row }) => String(row) !== header) && !isNone && (
              <option value={header}>use row {header}</option>
            )}
            {top.map(({ row, text }) => (
              <option key={row} value={String(row)}>
                use row {row}: {text.slice(0, 60)}
              </option>
            ))}
            <option value="0">there are none</option>
          </select>
        </label>
      </p>
    </div>
  );
}
