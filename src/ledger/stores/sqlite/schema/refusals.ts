/**
 * Guards that several tables have. A row of the book stays as it was written. Once an erasure covers it
 * (`erasures.ts`), its content may be emptied and its checksum renewed, and nothing else of it may change.
 */
export function onlyAddedTo(table: string): string {
  return `${refusedEvent('UPDATE', table)}${refusedEvent('DELETE', table)}`;
}

export function refusedEvent(event: 'UPDATE' | 'DELETE', table: string): string {
  return `
CREATE TRIGGER ${table}_no_${event.toLowerCase()} BEFORE ${event} ON ${table} BEGIN
  SELECT RAISE(ABORT, 'money rule: ${table} are only ever added to');
END;
`;
}

/** The reason of a row whose content was erased. */
export const REASON = "LIKE 'erased on ____-__-__'";

export const covers = (what: string, id: string, row = '0'): string =>
  `EXISTS (SELECT 1 FROM erased x WHERE x.what = '${what}' AND x.id = ${id} AND x.row = ${row})`;

const ofCall = (attempt: string): string =>
  covers('call', `(SELECT a.call FROM attempts a WHERE a.id = ${attempt})`);
export const ofAttempt = (attempt: string): string => `(${ofCall(attempt)} OR ${covers('attempt', attempt)})`;

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

/** Refuses that a row is changed or deleted, unless an erasure covers it and only its content is emptied. */
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
${refusedEvent('DELETE', table)}`;
}

/** The condition that a text or a list of bytes is unchanged or emptied. */
export const emptied = (column: string, empty: string): string =>
  `(NEW.${column} IS OLD.${column} OR NEW.${column} IS ${empty})`;

export const WORDS = emptied('why', "'erased'");
export const HEADERS = emptied('headers', "'{}'");
/** From an answer about several people one person is cut out; an answer about one person is emptied with its call. */
export const BODY = `(NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`;
