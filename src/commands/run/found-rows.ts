import { saidIn } from '../../core/answer-fields.ts';
import { foreignWords, grouped, linesOf, plainText } from '../../core/plain-text.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { answerFields, foundValues, shownAnswer } from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';

/** `row 12  Salvation Army  employees 412, city Melbourne`, for each of these rows that was found. */
export async function foundRows(
  ledger: LedgerReader,
  batch: Batch,
  rows: readonly RowNumber[],
): Promise<readonly string[]> {
  const inputs = await ledger.cellsOf(batch.id, rows);
  const records = await Promise.all(rows.map((row) => ledger.rows(batch.id, row, 1)));
  return records.flat().map((record) => {
    const words = linesOf(`row ${grouped(record.row)}`, nameIn(batch, inputs.get(record.row)));
    return plainText([...words, valuesOf(batch, record)].join('  '));
  });
}

/** The first text in a row that is not an identifier: mostly the name of the person or company. */
function nameIn({ header, settings }: Batch, input: InputRow | undefined): string | undefined {
  const asked = new Set(Object.values(settingsKept(settings).columns));
  const cells = input?.cells.map((cell) => cell.trim()) ?? [];
  const own = cells.filter((_, at) => !asked.has(header[at] ?? ''));
  const name = own.find((cell) => /\p{L}/u.test(cell)) ?? cells.find((cell) => cell !== '');
  return name && foreignWords(name, LONGEST_NAME);
}

const LONGEST_NAME = 40;
const MOST_VALUES = 5;

function valuesOf({ settings }: Batch, { answers }: RowRecord): string {
  const { add, answer_at: place } = settingsKept(settings);
  const shown = shownAnswer(answers, place);
  if (shown === undefined) return '';
  const fields = add === undefined ? answerFields(shown, true) : undefined;
  const values = foundValues(add, saidIn(shown.body, shown.place), fields);
  const filled = [...values].filter(([, value]) => value !== '').slice(0, MOST_VALUES);
  const nameOf = new Map(Object.entries(add ?? {}).map(([name, path]) => [path, name]));
  return filled
    .map(([path, value]) => `${nameOf.get(path) ?? path} ${foreignWords(value, LONGEST_NAME)}`)
    .join(', ');
}
