import type { RowObject, TableObject } from '../../../api.ts';

/** What a row is called, in the list and in the answer. */

const OWN_NAMES = [/company|organi[sz]ation|firm|business|charity/i, /name/i, /e-?mail/i];

/** The cell by which a person knows the row. */
export function ownName({ columns, rows: [row] }: TableObject): string | undefined {
  for (const named of OWN_NAMES) {
    const at = columns.findIndex(
      ({ name, from }, column) => from === 'list' && named.test(name) && row?.cells[column],
    );
    if (at >= 0) return row?.cells[at];
  }
  return undefined;
}

const FOUND_NAME = /^(?:full_?|company_?|legal_?|display_?)?name$/i;

/** The name in the last answer that found something. */
export function foundName({ attempts, outcome }: RowObject): string | undefined {
  const found = attempts.findLast(({ closure }) => closure?.answer === 'found');
  return outcome?.kind !== 'matched' || found?.reply == null ? undefined : nameIn(read(found.reply.body));
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
