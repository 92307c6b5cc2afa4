import { capital } from '../../../../files/output/summary-words.ts';
import type { ListJobChoice } from '../../../api.ts';
import { Button, Options, Select } from '../../parts/controls.tsx';
import type { OfScene } from './scene.ts';

/** Where in her file the table is. */

/** A reading without what is blank, so that it is recognised again. */
export function withReading(job: ListJobChoice, more: Readonly<Record<string, string>>): ListJobChoice {
  const entries = Object.entries({ ...job.read, ...more }).filter(([, value]) => value !== '');
  return { ...job, read: entries.length === 0 ? undefined : Object.fromEntries(entries) };
}

/** Which sheet of a workbook is the list. */
export function SheetChoice({ scene: { described, job, choose, isPlanning } }: OfScene) {
  const sheets = described.value?.sheets?.filter(({ hidden, read }) => !hidden || read) ?? [];
  const read = sheets.find((sheet) => sheet.read)?.name;
  if (sheets.length < 2 || read === undefined) return null;
  return (
    <select
      aria-label="Sheet"
      value={read}
      disabled={!isPlanning.value}
      // Where a table begins differs from sheet to sheet.
      onChange={({ currentTarget: { value: sheet } }) =>
        choose(withReading(job, { sheet, header_row: '', rows: '' }))
      }
    >
      <Options of={sheets.map(({ name }) => name)} />
    </select>
  );
}

/** The lines of the file above her table, and where the names of the columns are. */
export function Above({ scene: { described, job, choose } }: OfScene) {
  const use = (row: string): void => choose(withReading(job, { header_row: row }));
  if (described.value === undefined)
    return (
      <p class="row">
        {described.refused?.choices?.map(({ value, says }) => (
          <Button key={value} says={capital(says)} onClick={() => use(value)} />
        ))}
      </p>
    );
  const { top, header_row: header } = described.value.layout;
  const isNone = header === '0';
  // Names in two rows, or far below, are in none of the first.
  const options = new Map<string, string>([
    [header, `use row ${header}`],
    ...top.map(({ row, text }) => [String(row), `use row ${row}: ${text.slice(0, 60)}`] as const),
    ['0', 'there are none'],
  ]);
  return (
    <div class="soft">
      {top
        .filter(({ row }) => row < Number.parseInt(header, 10))
        .map(({ row, text }) => (
          <p key={row}>
            <b>{row}</b> {text}
          </p>
        ))}
      <p>
        <Select
          name={isNone ? 'Your columns have no names:' : `The names of your columns are in row ${header}:`}
          value={header}
          options={[...options]}
          onChosen={use}
        />
      </p>
    </div>
  );
}
