import { capital } from '../../../../core/plain-text.ts';
import type { DamageObject, ListJobChoice } from '../../../api.ts';
import { Act } from '../../parts/asking.tsx';
import { Button, Checkbox, Field, RowLinks, Select, Sentences } from '../../parts/controls.tsx';
import { counted, grouped, sumOf } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { type OfScene, readingOf } from './scene.ts';

/** The cells of a text are encoded and separated; those of a workbook are neither. */
const OF_TEXT = [
  {
    entry: 'encoding',
    name: 'Encoding',
    known: [
      ...['utf-8', 'utf-16le', 'windows-1252', 'windows-1250', 'windows-1251', 'macintosh', 'iso-8859-2'],
      ...['cp850', 'gb18030', 'big5', 'shift_jis', 'euc-kr'],
    ],
  },
  {
    entry: 'delimiter',
    name: 'Cells are separated by',
    known: ['comma', 'semicolon', 'tab', 'pipe', 'space', 'tilde', 'caret', 'ctrl-a'],
  },
] as const;

/** How the list is read, what of it is left out, and which of its cells are damaged. */
export function HowRead({ scene }: OfScene) {
  const { job, described, planned } = scene;
  const { value, refused } = described;
  if (value === undefined && refused === undefined) return null;
  const inColumns = value?.columns.flatMap(({ name: column, damage }) =>
    damage.map((each) => ({ ...each, column })),
  );
  // Those in the columns that are used, or in all while nothing is chosen.
  const damaged = planned.value?.damage ?? inColumns ?? [];
  const cells = sumOf(damaged.map(({ count }) => count));
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
          <Sentences
            of={value.layout.left_out
              .slice(0, 8)
              .map(({ rows, text }) => `${rows.includes('-') ? 'Rows' : 'Row'} ${rows}: ${text}`)}
          />
        </>
      )}
    </details>
  );
}

interface DamageProps extends OfScene {
  readonly damaged: readonly (DamageObject & { readonly column: string })[];
}

function Damage({ scene: { job, opened, choose }, damaged }: DamageProps) {
  const { repair: isRepaired = false } = job;
  const repairable = sumOf(damaged.map((each) => each.repairable));
  return (
    <>
      {damaged.map(({ column, kind, words, count, first_rows: rows }) => (
        <p key={`${column} ${kind}`} class="need">
          <b>{grouped(count)}</b> in {column} {words}:{' '}
          <RowLinks first_rows={rows} rows={count} opened={opened} />
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

/** A reading without what is blank, so that it is recognised again. */
function withReading(job: ListJobChoice, more: Readonly<Record<string, string>>): ListJobChoice {
  const entries = Object.entries({ ...job.read, ...more }).filter(([, value]) => value !== '');
  return { ...job, read: entries.length === 0 ? undefined : Object.fromEntries(entries) };
}

export function SheetChoice({ scene: { described, job, choose, isPlanning } }: OfScene) {
  const sheets = described.value?.sheets?.filter(({ hidden, read }) => !hidden || read) ?? [];
  const read = sheets.find((sheet) => sheet.read)?.name;
  if (sheets.length < 2 || read === undefined || !isPlanning.value) return null;
  return (
    <Select
      name="Sheet"
      value={read}
      options={sheets.map(({ name }) => name)}
      // Where a table begins differs from sheet to sheet.
      onChosen={(sheet) => choose(withReading(job, { sheet, header_row: '', rows: '' }))}
    />
  );
}

/** The lines of the file above her table, and where the names of the columns are. */
export function Above({ scene: { list, described, job, choose } }: OfScene) {
  const { refused } = described;
  // An agreement is kept, so every other question about the list goes on from then on.
  const agree = (accept: string) => ask('/plan', { body: { file: list?.id, ...readingOf(job), accept } });
  const put = (flag: string, value: string): void => {
    const entry = flag.replace('--', '').replace('-', '_');
    choose(withReading(job, { ...(entry === 'sheet' && { header_row: '', rows: '' }), [entry]: value }));
  };
  if (described.value === undefined)
    return (
      <p class="row">
        {refused?.choices?.map(({ flag, value = '', says }) =>
          flag === '--accept' ? (
            <Act key={value} says={capital(says)} does={() => agree(value)} />
          ) : (
            <Button key={value} says={capital(says)} onClick={() => put(flag, value)} />
          ),
        )}
        {refused && job.read?.sheet && <Button says="Another sheet" onClick={() => put('sheet', '')} />}
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
          onChosen={(row) => put('header_row', row)}
        />
      </p>
    </div>
  );
}
