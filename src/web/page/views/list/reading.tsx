import type { DamageObject, ListDescription, ListJobChoice } from '../../../api.ts';
import { Button, Checkbox, Select, TextField } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import type { Scene } from './scene.ts';

type Reading = NonNullable<ListJobChoice['read']>;

/** A reading without what is blank, so that it is recognised again. */
function withReading({ read, ...job }: ListJobChoice, more: Readonly<Record<string, string>>): ListJobChoice {
  const entries = Object.entries({ ...read, ...more }).filter(([, value]) => value !== '');
  return { ...job, ...(entries.length === 0 ? {} : { read: Object.fromEntries(entries) as Reading }) };
}

/** Which sheet of a workbook is the list. */
export function SheetChoice({ scene }: { readonly scene: Scene }) {
  const sheets = scene.described.value?.sheets?.filter(({ hidden, read }) => !hidden || read) ?? [];
  const read = sheets.find((sheet) => sheet.read)?.name;
  if (sheets.length < 2 || read === undefined) return null;
  return (
    <select
      aria-label="Sheet"
      value={read}
      disabled={!scene.isPlanning.value}
      // Where a table begins differs from sheet to sheet.
      onChange={({ currentTarget: { value: sheet } }) =>
        scene.choose(withReading(scene.job, { sheet, header_row: '', rows: '' }))
      }
    >
      {sheets.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'iso-8859-2',
];
const SEPARATORS = ['comma', 'semicolon', 'tab', 'pipe', 'space'];
const AS_FOUND = '';

/** How the list is read, what of it is left out, and which of its cells are damaged. */
export function HowRead({ scene }: { readonly scene: Scene }) {
  const { job, described } = scene;
  const { value } = described;
  if (value === undefined) return null;
  const damaged = damagedIn(scene);
  const cells = sum(damaged.map(({ count }) => count));
  const put = (more: Readonly<Record<string, string>>): void => scene.choose(withReading(job, more));
  // The cells of a workbook are neither encoded nor separated.
  const isText = value.delimiter !== 'cells';
  return (
    <details>
      <summary>
        How the list is read
        {cells > 0 && <span class="warn">{` · ${counted(cells, 'cell')} damaged`}</span>}
      </summary>
      <Damage scene={scene} damaged={damaged} />
      {isText && (
        <>
          <Select
            name="Encoding"
            value={job.read?.encoding ?? AS_FOUND}
            options={[[AS_FOUND, `as recognised: ${value.encoding}`], ...ENCODINGS]}
            onChosen={(encoding) => put({ encoding })}
          />
          <Select
            name="Cells are separated by"
            value={job.read?.delimiter ?? AS_FOUND}
            options={[[AS_FOUND, `as recognised: ${value.delimiter}`], ...SEPARATORS]}
            onChosen={(delimiter) => put({ delimiter })}
          />
        </>
      )}
      <TextField
        name="First and last row of the table"
        value={job.read?.rows}
        placeholder="all, or such as 5-210"
        onTyped={(rows) => put({ rows })}
      />
      <TextField
        name="Country of phone numbers and postcodes"
        value={job.country}
        placeholder="two letters, such as AU"
        onTyped={(country) => {
          const { country: _, ...rest } = job;
          scene.choose(country === '' ? rest : { ...rest, country: country.toUpperCase() });
        }}
      />
      <LeftOut {...value} />
    </details>
  );
}

function LeftOut({ layout }: ListDescription) {
  if (layout.left_out.length === 0) return null;
  return (
    <>
      <p>No part of the list, and not asked about:</p>
      <ul>
        {layout.left_out.slice(0, 8).map(({ rows, text }) => (
          <li key={rows}>
            {rows.includes('-') ? 'Rows' : 'Row'} {rows}: {text}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What follows a count of damaged cells. */
const DAMAGES: Readonly<Record<string, string>> = {
  scientific_notation: 'in scientific notation',
  number_format: 'written as a number',
  rounded: 'rounded, so that the last digits are lost',
  lost_digit: 'one digit short',
  lost_zero: 'without the zero in front',
  mistyped: 'with a wrong digit',
  mojibake: 'with wrong letters',
  invisible_character: 'with invisible characters',
  wrapped_address: 'with more than the address',
  punctuation: 'with punctuation around',
  tracking: 'with a tail that tracks readers',
};

interface Damaged extends DamageObject {
  readonly column: string;
}

/** Damaged cells in the columns that are used, or in all while nothing is chosen. */
const damagedIn = ({ described, planned }: Scene): readonly Damaged[] =>
  planned.value?.damage ??
  described.value?.columns.flatMap(({ name, damage }) => damage.map((each) => ({ ...each, column: name }))) ??
  [];

const sum = (counts: readonly number[]): number => counts.reduce((one, other) => one + other, 0);

interface DamageProps {
  readonly scene: Scene;
  readonly damaged: readonly Damaged[];
}

function Damage({ scene, damaged: all }: DamageProps) {
  const { job } = scene;
  const isRepaired = job.repair === true;
  if (all.length === 0 && !isRepaired) return null;
  const repairable = sum(all.map((each) => each.repairable));
  return (
    <div class="need">
      <ul>
        {all.map(({ column, kind, count, first_rows: rows }) => (
          <li key={`${column} ${kind}`}>
            <b>{grouped(count)}</b> in {column} {DAMAGES[kind] ?? 'damaged'}:{' '}
            {rows.map((row, at) => (
              <>
                {at > 0 && ', '}
                <Button
                  look="link"
                  says={`row ${row}`}
                  onClick={() => {
                    scene.opened.value = row;
                  }}
                />
              </>
            ))}
            {count > rows.length && '…'}
          </li>
        ))}
      </ul>
      {(repairable > 0 || isRepaired) && (
        <Checkbox
          says={`Repair ${counted(repairable, 'cell')}, where that is sure`}
          checked={isRepaired}
          onCheck={(repair) => scene.choose({ ...job, repair })}
        />
      )}
    </div>
  );
}
