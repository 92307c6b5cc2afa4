/**
 * Guards that several tables have. A row of the book is kept as it was written. Once an erasure covers it (`erasures.ts`),
 * its content may be set to the emptied value and its checksum renewed, and nothing else of it may change.
 */
export function refusal(event: 'UPDATE' | 'DELETE', table: string): string {
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
  readonly trigger: string;
  readonly table: string;
  /** Whether an erasure covers the old row. */
  readonly covered: string;
  readonly kept: string;
  /** The columns that this trigger looks at, where others have a trigger of their own; left out: all. */
  readonly of?: string;
  /** What the other columns may become. */
  readonly content: string;
}

/** A row is kept as it was written, unless it is covered and nothing but its content is emptied. */
export function keptUnlessErased({ trigger, table, covered, kept, of, content }: Emptied): string {
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

/** A word or a list of bytes that is as it was, or emptied. */
export const emptied = (column: string, empty: string): string =>
  `(NEW.${column} IS OLD.${column} OR NEW.${column} IS ${empty})`;

export const WORDS = emptied('why', "'erased'");
export const HEADERS = emptied('headers', "'{}'");
/** An answer about several people has one person cut out; all of it goes with its call. */
export const BODY = `(NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`;
