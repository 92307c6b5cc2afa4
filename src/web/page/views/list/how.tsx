import type { ListDescription, Reading } from '../../../api.ts';
import { Button, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import type { Refused } from '../../session.ts';
import { text } from '../../text.ts';

type ReadOption = readonly [value: string, shown: string];
type Read = Reading['read'];

/** The choice "as the list looks", which is how a list is read unless the user chooses otherwise. */
const LOOKS = '';
const ENCODINGS: readonly ReadOption[] = [
  ['utf-8', 'UTF-8'],
  ['windows-1252', 'Windows-1252'],
  ['utf-16le', 'UTF-16 (little-endian)'],
  ['utf-16be', 'UTF-16 (big-endian)'],
  ['macintosh', 'Mac OS'],
];
const DELIMITERS = (['comma', 'semicolon', 'tab', 'pipe'] as const).map((name): ReadOption => [name, name]);

/** What was said of one sheet, or below one header, means other rows elsewhere. */
const FALLS_WITH: { readonly [Name in keyof Read]?: readonly (keyof Read)[] } = {
  sheet: ['header_row', 'rows'],
  header_row: ['rows'],
};

interface ReadingShown {
  readonly reading: Reading;
  readonly found: ListDescription | undefined;
  readonly change: (more: Partial<Reading>) => void;
}

interface HowShown extends ReadingShown {
  readonly isWorkbook: boolean;
  readonly isRefused: boolean;
}

/**
 * @param isRefused whether the list cannot be read as it is now. The reason for a text is often its encoding
 * or delimiter.
 */
export function How({ reading, found, isWorkbook, isRefused, change }: HowShown) {
  const { read } = reading;
  const sheets = found?.sheets;
  const choose = (name: keyof Read, value: string): void => {
    const gone: readonly string[] = [name, ...(FALLS_WITH[name] ?? [])];
    const kept: Read = Object.fromEntries(Object.entries(read).filter(([each]) => !gone.includes(each)));
    change({ read: value === LOOKS ? kept : { ...kept, [name]: value } });
  };
  const isSaid = Object.keys(read).some((name) => name !== 'sheet');
  return (
    <>
      <div class="actions">
        {sheets !== undefined && sheets.length > 1 && (
          <Select
            name={text.list.sheet}
            value={sheets.find((sheet) => sheet.read)?.name}
            options={sheets.map(({ name, hidden }) => [name, hidden ? text.list.hidden(name) : name])}
            onChosen={(sheet) => choose('sheet', sheet)}
          />
        )}
        <details open={(isRefused && !isWorkbook) || isSaid}>
          <summary>{text.list.wrong}</summary>
          <div class="actions">
            {found?.layout.header_guessed !== true && <HeaderRow found={found} choose={choose} />}
            {!isWorkbook && <OfText read={read} choose={choose} />}
          </div>
        </details>
      </div>
      <Guesses reading={reading} found={found} change={change} choose={choose} />
    </>
  );
}

/** Asks where the list begins, where only its reader knows. */
export function ListStart({
  choices,
  reading,
  change,
}: Pick<ReadingShown, 'reading' | 'change'> & { readonly choices: NonNullable<Refused['choices']> }) {
  return (
    <section class="notice" role="alert">
      <p>
        <strong>{text.list.start}</strong>
      </p>
      <div class="actions">
        {choices.map(({ value, says }) => (
          <Button
            key={value}
            onClick={() => change({ read: { ...reading.read, header_row: value } })}
            says={says.charAt(0).toUpperCase() + says.slice(1)}
          />
        ))}
      </div>
    </section>
  );
}

interface HowChoosing {
  readonly read: Read;
  readonly choose: (name: keyof Read, value: string) => void;
}

function HeaderRow({ found, choose }: Pick<HowChoosing, 'choose'> & Pick<ReadingShown, 'found'>) {
  const { header_row: row = '', top = [] } = found?.layout ?? {};
  if (top.length === 0) return null;
  const single = top.map(
    (each): ReadOption => [String(each.row), text.list.rowSays(grouped(each.row), each.text)],
  );
  const both = top.flatMap((each, at): ReadOption[] => {
    const next = top[at + 1];
    if (next?.row !== each.row + 1) return [];
    return [[`${each.row}-${next.row}`, text.list.twoRows(grouped(each.row), grouped(next.row))]];
  });
  const options = [...single, ...both, ['0', text.list.noHeader] as const];
  const shown = options.some(([value]) => value === row) ? options : [[row, row] as const, ...options];
  return (
    <Select
      name={text.list.namesRow}
      value={row}
      options={shown}
      onChosen={(value) => choose('header_row', value)}
    />
  );
}

function OfText({ read, choose }: HowChoosing) {
  return (
    <>
      <Select
        name={text.list.encoding}
        value={read.encoding ?? LOOKS}
        options={[[LOOKS, text.list.asItLooks], ...ENCODINGS]}
        onChosen={(encoding) => choose('encoding', encoding)}
      />
      <Select
        name={text.list.betweenCells}
        value={read.delimiter ?? LOOKS}
        options={[[LOOKS, text.list.asItLooks], ...DELIMITERS]}
        onChosen={(delimiter) => choose('delimiter', delimiter)}
      />
    </>
  );
}

/** The last that may be named: what is left out may stand above other rows. */
const LAST_ROW = 9_999_999;

/** The findings about the table that are not a matter of course, each with the click that says otherwise. */
function Guesses({ reading: { read }, found, change, choose }: ReadingShown & Pick<HowChoosing, 'choose'>) {
  if (found === undefined) return null;
  const { header_row: header, header_guessed: isGuessed, left_out: leftOut } = found.layout;
  const say = (more: Partial<Read>): void => change({ read: { ...read, ...more } });
  const { rows, ...others } = read;
  if (!isGuessed && leftOut.length === 0 && rows === undefined) return null;
  const below = Number(header.split('-').at(-1)) + 1;
  return (
    <ul class="notice plain-list">
      {isGuessed && (
        <li class="actions">
          {text.list.headerIn(header)} <HeaderRow found={found} choose={choose} />
        </li>
      )}
      {leftOut.map((each) => (
        <li key={each.rows} class="actions">
          {text.list.leftOut(rowsWords(each.rows), each.text)}{' '}
          <Button
            class="plain"
            onClick={() => say({ rows: `${below}-${LAST_ROW}` })}
            says={text.list.takeIn(each.rows.includes('-'))}
          />
        </li>
      ))}
      {rows !== undefined && (
        <li class="actions">
          {text.list.onlyRows(rowsWords(rows))}{' '}
          <Button class="plain" onClick={() => change({ read: others })} says={text.list.lookAgain} />
        </li>
      )}
    </ul>
  );
}

/** `row 9`, `rows 11 to 14`. */
function rowsWords(rows: string): string {
  const [first = '', last] = rows.split('-').map((row) => grouped(Number(row)));
  return last === undefined || last === first ? text.list.oneRow(first) : text.list.rowsTo(first, last);
}
