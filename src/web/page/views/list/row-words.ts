import type { RowObject, TableObject } from '../../../api.ts';

/** What a row is called, in the list and in the answer. */

const OWN_NAMES = [/company|organi[sz]ation|firm|business|charity/i, /name/i, /e-?mail/i];

/** The cell by which a person knows the row. */
export function ownName(table: TableObject): string | undefined {
  const hers = table.columns.filter(({ name, from }) => from === 'list' && ownCell(table, name) !== '');
  const known = OWN_NAMES.map((named) => hers.find(({ name }) => named.test(name)));
  const column = known.find((each) => each !== undefined);
  return column && ownCell(table, column.name);
}

export function ownCell({ columns, rows: [row] }: TableObject, column: string): string {
  return row?.cells[columns.findIndex(({ name, from }) => from === 'list' && name === column)] ?? '';
}

/** The column whose cell is in what was asked, else the first one. */
export function askedColumn(columns: readonly string[], { attempts }: RowObject, table: TableObject): string {
  const asked = attempts
    .flatMap(({ parameters }) => Object.values(parameters))
    .map(plain)
    .filter(Boolean);
  const isAsked = (name: string): boolean =>
    asked.some((value) => plain(ownCell(table, name)).includes(value));
  return columns.find(isAsked) ?? columns[0] ?? '';
}

const plain = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replaceAll(/[^\p{L}\d@.]/gu, '');

const FOUND_NAME = /^(?:full_?|company_?|legal_?|display_?)?name$/i;

/** The name in the last answer that found something, for each thing that was looked for. */
export function foundNames({ attempts, outcome }: RowObject): readonly string[] {
  if (outcome?.matched_by === undefined) return [];
  const found = attempts.filter(({ closure }) => closure?.answer === 'found');
  const lastOfEach = new Map(found.map(({ operation, reply }) => [operation, reply?.body]));
  return [...lastOfEach.values()].flatMap((body) => (body === undefined ? [] : (nameIn(read(body)) ?? [])));
}

/** The first name that stands highest in the answer. */
function nameIn(body: unknown): string | undefined {
  for (let level: unknown[] = [body]; level.length > 0; ) {
    const entries = level.flatMap((each) => Object.entries(each instanceof Object ? each : {}));
    const found = entries.find(([key, value]) => FOUND_NAME.test(key) && typeof value === 'string');
    if (found !== undefined) return String(found[1]);
    level = entries.map(([, value]) => value);
  }
  return undefined;
}

function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** In lines where it has parts, else as it came. */
export function rawAnswer(body: string): string {
  const value = read(body);
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** What came of a question. */
export const ANSWERS: Readonly<Record<string, string>> = {
  found: 'found',
  no_match: 'nothing found',
  refused: 'refused',
  not_sent: 'it was not sent',
  paused: 'it had to wait, and was asked again',
  stopped: 'it was stopped',
  in_doubt: 'none came, or nobody can read it',
  accepted: 'taken, and answered later',
};
