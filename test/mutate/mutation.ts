/** One rule taken out of the source in one place, and the test that must miss it. */
export interface Mutation {
  /** Of docs/internals/protocol.md. */
  readonly rule: number;
  /** What the source does without, as the table of docs/internals/mutations.md has it. */
  readonly without: string;
  /** The file, or the folder in which exactly one file has the text, so that a file may get another name. */
  readonly at: string;
  /** Occurs exactly once there. */
  readonly text: string;
  readonly instead: string;
  /** The test file that must fail. */
  readonly test: string;
  /** Part of the names of the tests that are run, as Vitest takes it; left out: all of the file. */
  readonly named?: string;
}

/** Where the database says its rules. */
const DATABASE = 'src/ledger/stores/sqlite';

/** A guard of the database that refuses nothing any more. @param message what it says when it refuses. */
export function guard(rule: number, message: string, file: string, named: string): Mutation {
  return {
    rule,
    without: `database: ${message}`,
    at: DATABASE,
    text: `RAISE(ABORT, 'money rule: ${message}')`,
    instead: '1',
    test: `test/ledger/stores/${file}.test.ts`,
    named,
  };
}

/** A rule about new entries that refuses nothing any more: all of these rules are written in one place. */
export function entryGuard(rule: number, message: string, file: string, named: string): Mutation {
  return {
    ...guard(rule, message, file, named),
    at: `${DATABASE}/schema/refusals.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
    text: 'WHERE ${rule.where};',
    instead: `WHERE \${rule.says === ${JSON.stringify(message)} ? 'FALSE' : rule.where};`,
  };
}

/** Where all guards that only forbid change are written. */
export const KEPT = `${DATABASE}/schema/kept.ts`;

/** A guard that only forbids change, and refuses nothing any more. */
export function keptGuard(rule: number, message: string, file: string, named: string): Mutation {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
  const text = "RAISE(ABORT, 'money rule: ${says}')";
  return {
    ...guard(rule, message, file, named),
    at: KEPT,
    text,
    instead: `\${says === ${JSON.stringify(message)} ? '1' : \`${text}\`}`,
  };
}

/** A move that is possible from more places. @param message what the list of moves says. */
export function move(
  rule: number,
  message: string,
  { text, instead, named }: Pick<Mutation, 'text' | 'instead' | 'named'>,
): Mutation {
  return {
    rule,
    without: `moves: ${message}`,
    at: 'src/ledger/rules/moves.ts',
    text,
    instead,
    test: 'test/ledger/stores/guards.test.ts',
    ...(named === undefined ? {} : { named }),
  };
}
