import type { DamageObject } from '../../../api.ts';
import { Button, Checkbox, Field, Select } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { withReading } from './above.tsx';
import type { Scene } from './scene.ts';

/** The cells of a text are encoded and separated; those of a workbook are neither. */
const OF_TEXT = [
  {
    entry: 'encoding',
    name: 'Encoding',
    known: ['utf-8', 'utf-16le', 'windows-1252', 'windows-1250', 'windows-1251', 'macintosh', 'iso-8859-2'],
  },
  {
    entry: 'delimiter',
    name: 'Cells are separated by',
    known: ['comma', 'semicolon', 'tab', 'pipe', 'space'],
  },
] as const;

/** How the list is read, what of it is left out, and which of its cells are damaged. */
export function HowRead({ scene }: { readonly scene: Scene }) {
  const { job, described, planned } = scene;
  const { value, refused } = described;
  if (value === undefined && refused === undefined) return null;
  const inColumns = value?.columns.flatMap(({ name: column, damage }) =>
    damage.map((each) => ({ ...each, column })),
  );
  // Those in the columns that are used, or in all while nothing is chosen.
  const damaged = planned.value?.damage ?? inColumns ?? [];
  const cells = sum(damaged.map(({ count }) => count));
  const put = (more: Readonly<Record<string, string>>): void => scene.choose(withReading(job, more));
  const isRefused = refused?.code === 'input' || planned.refused?.code === 'input';
  return (
    <details open={isRefused}>
      <summary>
        How the list is read
        {isRefused && <span class="warn"> · it cannot be read like this</span>}
        {cells > 0 && <span class="warn"> · {counted(cells, 'cell')} damaged</span>}
      </summary>
      <Damage scene={scene} damaged={damaged} />
      {value?.delimiter !== 'cells' && (
        <>
          <Checkbox
            says="A row with too few cells gets blank ones, and blank ones too many are left out"
            checked={job.read?.ragged === 'pad'}
            onCheck={(isPadded) => put({ ragged: isPadded ? 'pad' : '' })}
          />
          {OF_TEXT.map(({ entry, name, known }) => (
            <Select
              key={entry}
              name={name}
              value={job.read?.[entry] ?? ''}
              options={[['', value ? `as recognised: ${value[entry]}` : 'as recognised'], ...known]}
              onChosen={(chosen) => put({ [entry]: chosen })}
            />
          ))}
        </>
      )}
      <Field
        says="First and last row of the table"
        defaultValue={job.read?.rows ?? ''}
        placeholder="all, or such as 5-210"
        onTyped={(rows) => put({ rows })}
      />
      <Field
        says="Country of phone numbers and postcodes"
        defaultValue={job.country ?? ''}
        placeholder="two letters, such as AU"
        onTyped={(country) => scene.choose({ ...job, country: country.toUpperCase() || undefined })}
      />
      {value && value.layout.left_out.length > 0 && (
        <>
          <p>No part of the list, and not asked about:</p>
          <ul>
            {value.layout.left_out.slice(0, 8).map(({ rows, text }) => (
              <li key={rows}>
                {rows.includes('-') ? 'Rows' : 'Row'} {rows}: {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((one, other) => one + other, 0);

interface DamageProps {
  readonly scene: Scene;
  readonly damaged: readonly (DamageObject & { readonly column: string })[];
}

function Damage({ scene: { job, opened, choose }, damaged }: DamageProps) {
  const isRepaired = job.repair === true;
  const repairable = sum(damaged.map((each) => each.repairable));
  return (
    <>
      {damaged.map(({ column, kind, words, count, first_rows: rows }) => (
        <p key={`${column} ${kind}`} class="need">
          <b>{grouped(count)}</b> in {column} {words}:{' '}
          {rows.map((row) => (
            <span key={row}>
              <Button look="link" says={`row ${row}`} onClick={() => (opened.value = row)} />{' '}
            </span>
          ))}
          {count > rows.length && '…'}
        </p>
      ))}
      {(repairable > 0 || isRepaired) && (
        <Checkbox
          says={`Repair ${counted(repairable, 'cell')}, where that is sure`}
          checked={isRepaired}
          onCheck={(repair) => choose({ ...job, repair })}
        />
      )}
    </>
  );
}
