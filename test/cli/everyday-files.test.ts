/**
 * Goal: lists as people and programs leave them every day go through a run as they are; and what is wrong with a cell is said as what
 * it is, with the repair beside it where that is certain.
 * Method: the real command before the sandbox as a vendor, over small lists.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { bookParts, partsOf, textRow, zipOf } from '../files/formats/workbook-file.ts';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', '--budget', '9'] as const;

/** What a run says of each row of a list: its status and the reason. */
async function ran(list: string, ...flags: readonly string[]) {
  const desk = await openDesk();
  await desk.write('list.csv', list);
  const { code, stderr } = await desk.type([...RUN, 'list.csv', ...flags]);
  const output = await desk.read('list.enriched.csv').catch(() => '');
  return { code, stderr, output: output.split('\n'), requests: await desk.requests() };
}

describe('a list goes through', () => {
  test('a list goes through with the index that a program writes, which has no name', async () => {
    const { code, output, requests } = await ran(',Name,Domain\n0,Acme,x.example\n1,Beta,y.example\n');
    expect([code, requests]).toEqual([0, 2]);
    expect(output[0]).toMatch(/^,Name,Domain,/);
    expect(output[1]).toMatch(/^0,Acme,x\.example,.*matched/);
  });

  test('a list goes through with two columns of one name, as long as neither is used', async () => {
    const list = 'Domain,Note,Note\nx.example,a,b\n';
    const { code, output } = await ran(list);
    expect([code, output[1]]).toEqual([0, expect.stringMatching(/^x\.example,a,b,.*matched/)]);
    const used = await ran('Domain,Domain\nx.example,y.example\n');
    expect(used).toMatchObject({ code: 2, requests: 0 });
    expect(used.stderr).toContain('columns 1 and 2 have the same name, "Domain".');
  });

  test('a list goes through with blank lines of delimiters, which are no rows and get blank cells', async () => {
    const { code, output, requests } = await ran('Domain,Name\nx.example,X\n,\ny.example,Y\n , \n,\n');
    expect([code, requests]).toEqual([0, 2]);
    expect(output.filter((_line, at) => [2, 4, 5].includes(at))).toEqual(
      [',', ' , ', ','].map((line) => expect.stringMatching(new RegExp(`^${line},+$`))),
    );
  });
});

test.each([
  ['a login page', '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n'],
  ['a page of an old program', '\uFEFF  <html xmlns="x">\n<body>Export</body>\n</html>\n'],
])('%s that was saved as a list is refused', async (_what, page) => {
  const { code, stderr, requests } = await ran(page);
  expect([code, requests]).toEqual([2, 0]);
  expect(stderr).toMatch(/list\.csv is a web page and no list: .*\nLog in there, export the list again/);
});

test('the link behind a cell of a workbook is what is looked up, and the cell stays as it is', async () => {
  const desk = await openDesk();
  const formula = '<f>HYPERLINK("https://beta.com.au/?a=1&amp;b=2","Visit")</f><v>Visit</v>';
  const rows = [
    textRow(1, 'Company', 'Website'),
    textRow(2, 'Acme', 'Visit'),
    `<row r="3"><c r="A3" t="inlineStr"><is><t>Beta</t></is></c><c r="B3" t="str">${formula}</c></row>`,
    textRow(4, 'Gamma', 'gamma.com.au'),
    textRow(5, 'Delta', 'Visit'),
  ];
  const targets = { A2: 'https://record.com.au', B2: 'https://www.acme.com.au', B4: 'https://x.com.au' };
  const cells = Object.keys(targets).map((cell) => `<hyperlink ref="${cell}" r:id="r${cell}"/>`);
  const links = Object.entries(targets).map(
    ([cell, to]) => `<Relationship Id="r${cell}" Type="x/hyperlink" Target="${to}" TargetMode="External"/>`,
  );
  const parts = bookParts({ rows: rows.join(''), behind: `<hyperlinks>${cells.join('')}</hyperlinks>` });
  const name = 'xl/worksheets/_rels/sheet1.xml.rels';
  const book = zipOf([...parts, { name, content: `<Relationships>${links.join('')}</Relationships>` }]);
  await writeFile(desk.place.path('list.xlsx'), book);

  const { code } = await desk.type([...RUN, 'list.xlsx', '--attention-ok']);
  expect(code).toBe(0);
  const asked = desk.place.vendor.requests().map(({ body }) => body.domain ?? body.website);
  expect(asked.toSorted()).toEqual(['acme.com.au', 'beta.com.au', 'gamma.com.au']);
  const sheet = partsOf(await readFile(desk.place.path('list.enriched.xlsx'))).find((part) =>
    part.name.endsWith('sheet1.xml'),
  );
  expect(sheet?.text).toContain('<t>Visit</t>');
  expect(sheet?.text).toContain(formula);
});

test('a slug that most rows share names nobody: its column is not read, and one that was named stops', async () => {
  const desk = await openDesk();
  const rows = [1, 2, 3, 4, 5, 6].map((at) => `jo${at}@example.org,${at < 5 ? 'Acme-Team' : `jo-${at}`}`);
  await writeFile(desk.place.path('people.csv'), ['Email,Profile Slug', ...rows, ''].join('\n'));
  const planned = await desk.json(['plan', 'enrich-person', 'people.csv']);
  expect(planned.columns).toEqual({ email: 'Email' });
  const named = await desk.type([
    'plan',
    'enrich-person',
    'people.csv',
    '--column',
    'profile_slug=Profile Slug',
  ]);
  expect(named.code).toBe(2);
  expect(named.stderr).toContain('Most rows say "acme-team" in the column "Profile Slug"');
});

test('what is wrong with a cell is said as what it is', async () => {
  const cells = ['#N/A', '51824800000', '5.18248E+10', '51824753557', '"51,824,753,556"'];
  const { code, output, requests } = await ran(['ABN', ...cells, ''].join('\n'));
  expect([code, requests]).toEqual([3, 0]);
  const [error, rounded, scientific, mistyped, number] = output.slice(1);
  expect(error).toContain('is an error of a formula in the spreadsheet');
  expect(rounded).toContain(
    'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded',
  );
  expect(scientific).toContain('looks like a rounded number from a spreadsheet');
  expect(mistyped).toContain('the checksum fails');
  expect(number).toContain('repaired, it would be sent with ABN read as 51824753556');
  const others = [error, rounded, scientific, mistyped].join('\n');
  expect(others, 'no repair is offered that is not certain').not.toContain('repaired');
});

test('an ABN that a spreadsheet has rounded is no reason to guess at another company', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'ABN\n51824800000\n51824753557\n"51,824,753,556"\n');
  const { stdout } = await desk.type(['plan', 'enrich-company', 'list.csv']);
  expect(stdout).toContain(
    '1 rounded by a spreadsheet, whose last digits are lost: row 2; such as 51824800000',
  );
  expect(stdout).not.toContain('51824800000, perhaps');
  expect(stdout, 'a certain repair is offered before anything is bought').toContain('51824753556');
  expect(stdout).toMatch(/--repair {7}would repair what is sent for 1 row/);
});

test('a word of the header is nobody, and its row is not asked', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Name,Alias\nAnn,Alias\nKim,kim-doe\nLee,lee-roe\n');
  const run = [
    'run',
    'enrich-person',
    'list.csv',
    '--column',
    'profile_slug=Alias',
    '--budget',
    '9',
    '-o',
    'out.csv',
  ];
  expect(await desk.json(run)).toMatchObject({ counts: { invalid: 1 }, requests: 2 });
});
