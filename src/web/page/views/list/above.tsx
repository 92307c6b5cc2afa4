import { Options } from '../../parts/controls.tsx';
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
  const isListed = isNone || top.some(({ row }) => String(row) === header);
  const options: readonly (readonly [string, string])[] = [
    ...(isListed ? [] : [[header, `use row ${header}`] as const]),
    ...top.map(({ row, text }) => [String(row), `use row ${row}: ${text.slice(0, 60)}`] as const),
    ['0', 'there are none'],
  ];
  return (
    <div class="soft">
      {above.map(({ row, text }) => (
        <p key={row}>
          <b>{row}</b> {text}
        </p>
      ))}
      <p>
        <label>
          {isNone ? 'Your columns have no names:' : `The names of your columns are in row ${header}:`}{' '}
          <select value={header} onChange={({ currentTarget }) => use(currentTarget.value)}>
            <Options of={options} />
          </select>
        </label>
      </p>
    </div>
  );
}
