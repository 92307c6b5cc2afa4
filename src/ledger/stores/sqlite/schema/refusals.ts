import { ENDED, type Kind, SENT } from '../../../rules/moves.ts';
import { isOneOf } from '../lookups.ts';

/** What several topics of the schema share: guards that keep rows as they were written, and words about erasures. */

/** A guard that refuses an event of a table by itself. */
export function refusedEvent(event: 'UPDATE' | 'DELETE', table: string): string {
  return `
CREATE TRIGGER ${table}_no_${event.toLowerCase()} BEFORE ${event} ON ${table} BEGIN
  SELECT RAISE(ABORT, 'money rule: ${table} are only ever added to');
END;
`;
}

/** The table of entries of a kind. */
export function tableOf(kind: Kind): 'attempts' | 'replies' | 'ends' | 'notes' {
  if ((SENT as readonly Kind[]).includes(kind)) return 'attempts';
  if (kind === 'reply') return 'replies';
  return (ENDED as readonly Kind[]).includes(kind) ? 'ends' : 'notes';
}

/** A rule about new entries of these kinds of one table: its sentence, and when it is broken, in SQL over `NEW`. */
export function refusedEntry(
  name: string,
  kinds: readonly Kind[],
  rule: { readonly says: string; readonly from?: string; readonly where: string },
): string {
  const [first = 'intent'] = kinds;
  const isAll = kinds === SENT || kinds === ENDED || first === 'reply';
  const table = tableOf(first);
  return `
CREATE TRIGGER ${table}_${name} BEFORE INSERT ON ${table}${isAll ? '' : ` WHEN ${isOneOf('NEW.kind', kinds)}`} BEGIN
  SELECT RAISE(ABORT, 'money rule: ${rule.says}')
${rule.from === undefined ? '' : `    FROM ${rule.from}\n`}   WHERE ${rule.where};
END;
`;
}

/** The reason of a row whose content was erased. */
export const REASON = "LIKE 'erased on ____-__-__'";

export const covers = (what: string, id: string, row = '0'): string =>
  `EXISTS (SELECT 1 FROM erased x WHERE x.what = '${what}' AND x.id = ${id} AND x.row = ${row})`;

/** Whether an erasure covers an attempt, or its whole call. */
export const ofAttempt = (attempt: string, call: string): string =>
  `(${covers('attempt', attempt)} OR ${covers('call', call)})`;

interface Emptied {
  /** The trigger's name, where it is another than that of the table with `_no_update`. */
  readonly trigger?: string;
  /** Whether an erasure covers the old row. */
  readonly covered: string;
  readonly kept: string;
  /** The columns that this trigger checks, where another trigger checks the others; without it all columns. */
  readonly of?: string;
  /** The condition for new values of the other columns. */
  readonly content: string;
}

/** Refuses that a row is changed, unless an erasure covers it and only its content is emptied. */
export function keptUnlessErased(
  table: string,
  { trigger = `${table}_no_update`, covered, kept, of, content }: Emptied,
): string {
  const columns = (side: string): string =>
    kept
      .split(' ')
      .map((column) => `${side}.${column}`)
      .join(', ');
  return `
CREATE TRIGGER ${trigger} BEFORE UPDATE ${of === undefined ? '' : `OF ${of} `}ON ${table}
WHEN NOT ((${columns('NEW')}) IS (${columns('OLD')}) AND (${content}) AND ${covered}) BEGIN
  SELECT RAISE(ABORT, 'money rule: ${table} are only ever added to, and emptied by an erasure');
END;
`;
}

/** The condition that a text or a list of bytes is unchanged or emptied. */
export const emptied = (column: string, empty: string): string =>
  `(NEW.${column} IS OLD.${column} OR (OLD.${column} IS NOT NULL AND NEW.${column} IS ${empty}))`;

export const WORDS = emptied('words', "'erased'");
export const HEADERS = emptied('headers', "'{}'");
/** From an answer about several people one person is cut out; an answer about one person is emptied with its call. */
export const BODY = `(NEW.body IS OLD.body OR (OLD.body IS NOT NULL AND NEW.body = x'') OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`;
