import { capital } from '../../../../../core/plain-text.ts';
import type { ListJobChoice } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { Button, Checkbox, Choice, Field, Notice, Select, Sentences } from '../../../parts/controls.tsx';
import { ask } from '../../../session.ts';
import { sheetsOf } from '../described.ts';
import { readingOf } from '../job.ts';
import type { OfScene } from '../scene.ts';

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

/** Other ways to read the list, and what of it is left out. */
export function Ways({ scene }: OfScene) {
  const { job, described } = scene;
  const { value } = described;
  const put = (more: Readonly<Record<string, string>>): void => scene.choose(withReading(job, more));
  return (
    <>
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
    </>
  );
}

/** A reading without what is blank, so that it is recognised again. */
function withReading(job: ListJobChoice, more: Readonly<Record<string, string>>): ListJobChoice {
  const entries = Object.entries({ ...job.read, ...more }).filter(([, value]) => value !== '');
  return { ...job, read: entries.length === 0 ? undefined : Object.fromEntries(entries) };
}

interface ChoicesProps extends OfScene {
  readonly close: () => void;
}

/** Which sheet of a workbook is read. */
export function Sheets({ scene, close }: ChoicesProps) {
  const { described, job, choose } = scene;
  return sheetsOf(described).map(({ name, read }) => (
    <Choice
      key={name}
      group="sheet"
      says={name}
      checked={read}
      onChosen={() => {
        // Where a table begins differs from sheet to sheet.
        choose(withReading(job, { sheet: name, header_row: '', rows: '' }));
        close();
      }}
    />
  ));
}

/** Where the names of her columns are, among the first lines of the file. */
export function Headers({ scene: { described, job, choose }, close }: ChoicesProps) {
  const { top = [], header_row: header = '0' } = described.value?.layout ?? {};
  // Names in two rows, or far below, are in none of the first.
  const options = new Map<string, string>([
    ...(header === '0' ? [] : [[header, `row ${header}`] as const]),
    ...top.map(({ row, text }) => [String(row), `row ${row}: ${text}`] as const),
    ['0', 'Your columns have no names'],
  ]);
  return [...options].map(([row, says]) => (
    <Choice
      key={row}
      group="header"
      says={says}
      checked={row === header}
      onChosen={() => {
        choose(withReading(job, { header_row: row }));
        close();
      }}
    />
  ));
}

/** The list cannot be read as it is: why, and in which other ways it can. */
export function Unread({ scene: { list, described, job, choose } }: OfScene) {
  const { refused } = described;
  if (refused === undefined) return null;
  // An agreement is kept, so every other question about the list goes on from then on.
  const agree = (accept: string) => ask('/plan', { body: { file: list?.id, ...readingOf(job), accept } });
  const put = (flag: string, value: string): void => {
    const entry = flag.replace('--', '').replace('-', '_');
    choose(withReading(job, { ...(entry === 'sheet' && { header_row: '', rows: '' }), [entry]: value }));
  };
  const { choices = [] } = refused;
  const isMany = choices.length > 2 && choices.every(({ flag }) => flag === '--encoding');
  const says = (
    <>
      <b>{refused.message}</b> {refused.next}
    </>
  );
  return (
    <Notice role="alert" says={says}>
      {isMany && (
        <Select
          name="Which is right?"
          inline
          value=""
          options={[
            ['', 'Choose'],
            ...choices.map(({ value = '', says }) => [value, capital(says)] as const),
          ]}
          onChosen={(value) => put('--encoding', value)}
        />
      )}
      {(isMany ? [] : choices).map(({ flag, value = '', says }) =>
        flag === '--accept' ? (
          <Act key={value} says={capital(says)} does={() => agree(value)} />
        ) : (
          <Button key={value} says={capital(says)} onClick={() => put(flag, value)} />
        ),
      )}
      {job.read?.sheet && <Button look="quiet" says="Another sheet" onClick={() => put('sheet', '')} />}
    </Notice>
  );
}
