/**
 * Goal: where the names of the columns do not say which is meant, their cells may; what is not sure is never taken, and
 * where the names do say, no cell changes that.
 * Method: small sheets against the real operations, and against one that must have an e-mail address.
 */
import { describe, expect, test } from 'vitest';
import { ColumnContent, findColumns, guessColumns, guessWords, likelyColumns } from '../../src/columns.ts';
import type { StopError } from '../../src/errors.ts';
import type { Operation } from '../../src/operation.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';
import enrichPerson from '../../src/operations/enrich-person.ts';
import onboard from '../../src/operations/onboard.ts';

const ABNS = ['51824753556', '44 676 848 475', 'ABN 44735928039', '44737312885'];

/** A sheet of which it is known how many rows were taken. */
class CountedSheet {
  taken = 0;
  readonly #rows: readonly (readonly string[])[];

  constructor(...rows: readonly (readonly string[])[]) {
    this.#rows = rows;
  }

  async *groups() {
    for (const [at, cells] of this.#rows.entries()) {
      this.taken += 1;
      yield [{ row: at + 2, cells }];
    }
  }
}

/** Rows of a sheet, given by column. */
function rowsOf(...columns: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [first = []] = columns;
  return first.map((_, at) => columns.map((cells) => cells[at] ?? ''));
}

const found = async (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): Promise<string> =>
  guessWords(await findColumns(operation, new CountedSheet(...rowsOf(...columns)), header));

const refusal = (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): Promise<StopError> =>
  findColumns(operation, new CountedSheet(...rowsOf(...columns)), header).then(
    (map) => Promise.reject(new Error(`taken: ${guessWords(map)}`)),
    (error) => error,
  );

const likely = (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): readonly string[] => {
  const content = new ColumnContent(header.length, [operation]);
  for (const cells of rowsOf(...columns)) content.add(cells);
  const { sure } = guessColumns(operation, header, content);
  return likelyColumns(operation, header, content, sure).map(
    ({ input, column, because }) => `${input} ← ${column} (${because})`,
  );
};

describe('a column is known by its cells, whatever it is called', () => {
  test('one of valid ABNs is the ABN column', async () => {
    expect(await found(enrichCompany, ['Name', 'Number'], ['A', 'B', 'C', 'D'], ABNS)).toBe(
      'abn ← Number (by its content, 4 of 4 cells)',
    );
  });

  test('one of bare domains is the domain, one of web addresses of any kind the website', async () => {
    const [domains, mixed, urls] = [
      ['a.example', 'b.example'],
      ['https://c.example', 'd.example'],
      ['https://e.example', 'www.f.example/about'],
    ];
    expect(await found(enrichCompany, ['X', 'Y'], domains, urls)).toBe(
      'domain ← X (by its content, 2 of 2 cells), website ← Y (by its content, 2 of 2 cells)',
    );
    expect(await found(enrichCompany, ['X', 'Y'], ['Perth', 'Hobart'], mixed)).toBe(
      'website ← Y (by its content, 2 of 2 cells)',
    );
  });

  test('e-mail addresses and profiles of people are told from those of companies', async () => {
    const people = ['linkedin.com/in/jo', 'https://www.linkedin.com/in/al'];
    const companies = ['linkedin.com/company/acme', 'https://www.linkedin.com/company/beta'];
    const emails = ['jo@acme.example', 'al@beta.example'];
    const header = ['P', 'C', 'E'];
    expect(await found(enrichPerson, header, people, companies, emails)).toBe(
      'email ← E (by its content, 2 of 2 cells), profile_url ← P (by its content, 2 of 2 cells)',
    );
    expect(await found(enrichCompany, header, people, companies, emails)).toBe(
      'profile_url ← C (by its content, 2 of 2 cells)',
    );
  });

  test('one damaged cell in ten leaves it what it is, and blank cells say nothing', async () => {
    const cells = [...ABNS, ...ABNS, 'unknown', ...ABNS, '', ''];
    expect(await found(enrichCompany, ['Number'], cells)).toBe(
      'abn ← Number (by its content, 12 of 13 cells)',
    );
  });

  test('what must be there is found so, beside what its name says', async () => {
    const columns = [
      ['jo@acme.example', 'al@beta.example'],
      ['viewer', 'admin'],
    ];
    expect(await found(onboard, ['Person', 'Role'], ...columns)).toBe(
      'email ← Person (by its content, 2 of 2 cells), role ← Role',
    );
  });
});

describe('where several columns have the name, the cells decide', () => {
  const header = ['Website', 'Charity website'];

  test('when one is what it says and the other is not', async () => {
    const columns = [
      ['yes', 'no', 'yes'],
      ['a.example', 'https://b.example', ''],
    ];
    expect(await found(enrichCompany, header, ...columns)).toBe(
      'website ← Charity website (by its content, 2 of 2 cells)',
    );
  });

  test.each([
    ['both are', ['c.example', 'd.example'], ['a.example', 'b.example']],
    ['the other is now and then', ['c.example', 'yes', 'no', 'no'], ['a.example', 'b.example', '', '']],
    ['neither is', ['yes', 'no'], ['1', '2']],
    ['both are blank', ['', ''], ['', '']],
  ])('and when %s, they are a question', async (_when, one, other) => {
    const { message, next } = await refusal(enrichCompany, header, one, other);
    expect(message).toBe('enrich-company: the columns "Website", "Charity website" could all be "website".');
    expect(next).toContain('columns:');
  });
});

describe('what is likely is never taken', () => {
  test.each([
    ['too few of its cells look right', [...ABNS, 'x', 'y'], 4, 6],
    ['there is a single cell', ABNS.slice(0, 1), 1, 1],
  ])('when %s, it is refused with the column that may be meant', async (_when, cells, right, all) => {
    const because = `by its content, ${right} of ${all} ${all === 1 ? 'cell' : 'cells'}`;
    const { message, next } = await refusal(enrichCompany, ['Number'], cells);
    expect(message).toContain('none is known among the columns "Number"');
    expect(next).toBe(
      `"abn" may be "Number", ${because}. Say under \`columns:\` in the job which column holds which input.`,
    );
    expect(likely(enrichCompany, ['Number'], cells)).toEqual([`abn ← Number (${because})`]);
  });

  test('two columns that look alike are both named', async () => {
    const [header, columns] = [
      ['Ours', 'Theirs'],
      [ABNS, ABNS.toReversed()],
    ];
    expect((await refusal(enrichCompany, header, ...columns)).next).toContain('"abn" may be "Ours"');
    expect(likely(enrichCompany, header, ...columns)).toEqual([
      'abn ← Ours (by its content, 4 of 4 cells)',
      'abn ← Theirs (by its content, 4 of 4 cells)',
    ]);
  });

  test('a column is named once, for the better of two inputs that it may be', () => {
    expect(likely(enrichCompany, ['X'], ['a.example', 'b.example', 'Perth'])).toEqual([
      'domain ← X (by its content, 2 of 3 cells)',
    ]);
  });
});

describe('where the header decides, no cell changes it', () => {
  const header = ['Website', 'Number'];
  const columns = [['not', 'one', 'website', 'here'], ABNS];

  test('another column that looks right is only likely, so that a batch that is half bought goes on', async () => {
    expect(await found(enrichCompany, header, ...columns)).toBe('website ← Website');
    expect(likely(enrichCompany, header, ...columns)).toEqual([
      'abn ← Number (by its content, 4 of 4 cells)',
    ]);
  });

  test('and no row is read for it', async () => {
    const sheet = new CountedSheet(...rowsOf(...columns));
    await findColumns(enrichCompany, sheet, header);
    await findColumns(enrichCompany, sheet, header, { abn: 'Number' });
    expect(sheet.taken).toBe(0);
  });
});

test('in an earlier output the user’s own column is meant, which stands before the added ones', async () => {
  const header = ['Contact', 'found', '_status'];
  const emails = ['jo@acme.example', 'al@beta.example'];
  expect(await found(enrichPerson, header, emails, emails, ['matched', 'matched'])).toBe(
    'email ← Contact (by its content, 2 of 2 cells)',
  );
});

describe('the first rows are looked at, and no more', () => {
  const abns = Array.from({ length: 1_500 }, (_, at) => [ABNS[at % ABNS.length] ?? '']);

  test('a thousand, whatever comes after them', async () => {
    const sheet = new CountedSheet(...abns.slice(0, 1_000), ...abns.map(() => ['no ABN']));
    expect(guessWords(await findColumns(enrichCompany, sheet, ['Number']))).toBe(
      'abn ← Number (by its content, 1000 of 1000 cells)',
    );
    expect(sheet.taken).toBe(1_000);
  });

  test('fewer of a sheet with very many columns', async () => {
    const header = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
    const row = header.map((_, at) => (at === 77_777 ? '51824753556' : 'x'));
    const sheet = new CountedSheet(...Array.from({ length: 50 }, () => row));
    expect(guessWords(await findColumns(enrichCompany, sheet, header))).toBe(
      'abn ← c77777 (by its content, 10 of 10 cells)',
    );
    expect(sheet.taken).toBe(10);
  });
});

test('a refusal names some columns of very many', async () => {
  const header = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
  const { message } = await refusal(enrichCompany, header, ['x']);
  expect(message).toMatch(/"c29" and 99970 others\.$/);
});
