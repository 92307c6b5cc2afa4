/**
 * Goal: nothing is bought by letters that no one wrote. A list whose bytes are neither UTF-8 nor Windows-1252 waits for a person who
 * says its encoding, and comes back in it; a list of any language of Windows-1252 is read without a question.
 * Method: the real command before a vendor with a book of its own, on bytes that another library has written.
 */
import { readFile, writeFile } from 'node:fs/promises';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { deskBefore, openDesk } from './desk.ts';

const COMPANIES = ['run', 'enrich-company', 'list.csv', '--budget', '99', '-o', 'out.csv'];

const CHINESE = ['王小明', '北京字节跳动科技有限公司', '上海市浦东新区'];
const TAIWANESE = ['陳怡君', '台灣積體電路製造股份有限公司', '台北市'];
const JAPANESE = ['山田太郎', 'トヨタ自動車株式会社', '東京都'];
const KOREAN = ['김철수', '삼성전자 주식회사', '서울시'];
const GERMAN = ['Müller', 'Bücher Größe', 'José'];

test.each<[encoding: string, cells: readonly string[], said?: string]>([
  ['gb18030', CHINESE, 'GB18030'],
  ['gb18030', ['名', '联通', '江'], 'gb2312'],
  ['big5', TAIWANESE, 'Big5'],
  ['shift_jis', JAPANESE, 'SJIS'],
  ['shift_jis', ['山田', '山口', '川口']],
  ['euc-jp', JAPANESE],
  ['euc-kr', KOREAN, 'CP949'],
  ['cp850', GERMAN, 'ibm850'],
  ['cp850', ['José', 'René', 'André']],
  ['macintosh', GERMAN],
  ['windows-1251', ['Иванов Пётр', 'ООО Ромашка', 'Москва']],
])('%s, %j: nothing is sent before it is said, and the output is in it', async (encoding, cells, said) => {
  const desk = await openDesk({ matchRate: 1 });
  const [name = '', company = '', city = ''] = cells;
  const lines = ['Name,Company,City,Domain', `${name},"${company}",${city},a.example`, 'Jo,,,b.example', ''];
  const list = iconv.encode(lines.join('\r\n'), encoding);
  await writeFile(desk.place.path('list.csv'), list);
  for (const words of [['plan', 'list.csv'], ['plan', 'enrich-company', 'list.csv'], COMPANIES]) {
    const { code, stderr } = await desk.type(words);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain('list.csv: it is not clear in which encoding its letters are written.');
    const shown = stderr.split('--encoding ').find((each) => each.startsWith(`${encoding} `));
    for (const cell of cells) expect(shown).toContain(JSON.stringify(cell));
  }
  expect(await desk.requests()).toBe(0);
  const { stopped } = await desk.json(COMPANIES);
  expect(stopped).toMatchObject({ code: 'input' });

  expect(await desk.json([...COMPANIES, '--encoding', said ?? encoding])).toMatchObject({
    counts: { matched: 2 },
    credits: { spent: 2 },
  });
  const output = await readFile(desk.place.path('out.csv'));
  const [header, first, second] = iconv.decode(output, encoding).split('\r\n');
  expect(header).toMatch(/^Name,Company,City,Domain,.*_status/);
  expect(first).toMatch(new RegExp(`^${name},"${company}",${city},a\\.example,.*,matched,`));
  expect(second).toMatch(/^Jo,,,b\.example,.*,matched,/);
  // The same again is the same batch, also in another spelling of the name.
  const again = await desk.json([...COMPANIES, '--encoding', encoding]);
  expect(again).toMatchObject({ requests: 0 });
});

test.each([
  ['one word with two letters in sequence', 'Größe,Domain\n5,a.example\n'],
  ['short words', 'Name,Domain\nÖz,a.example\nÅse Ås,b.example\nBô,c.example\n'],
  ['signs', 'Name,Domain\n“Möwe” – Zürich,a.example\nO’Brien ——,b.example\nAcme® „Süd“ † 5‰ €,c.example\n'],
  ['French', 'Société;Domain\nÉlodie Créée;a.example\nL’Oréal à la carte;b.example\nHermès;c.example\n'],
  ['Icelandic', 'Nafn,Domain\nÞórður Ægisson,a.example\nÍris Ösp,b.example\n'],
  ['Finnish and Estonian', 'Nimi,Domain\nTöölö Jäääär,a.example\nÄäri Õunapuu,b.example\n'],
  ['Portuguese', 'Nome,Domain\nConceição João,a.example\nAntónio,b.example\n'],
  ['capitals', 'NOM,Domain\nCRÉÉE À L’ÉTÉ,a.example\nÜBERGRÖSSE,b.example\n'],
])('Windows-1252 is read without a question: %s', async (_what, text) => {
  const desk = await openDesk();
  await writeFile(desk.place.path('list.csv'), iconv.encode(text, 'windows-1252'));
  const plan = await desk.json(['plan', 'list.csv']);
  expect(plan).toMatchObject({ encoding: 'Windows-1252', columns: [{ name: text.split(/[,;]/)[0] }, {}] });
});

test('a byte that Windows-1252 does not have is found wherever it stands', async () => {
  const desk = await openDesk();
  const rows = Array.from({ length: 40_000 }, (_, at) => `Caf\xe9 ${at},x${at}.example\n`);
  const list = Buffer.from(`Name,Domain\n${rows.join('')}M\x81ller,y.example\n`, 'latin1');
  await writeFile(desk.place.path('list.csv'), list);
  const { code, stderr } = await desk.type(['plan', 'enrich-company', 'list.csv']);
  expect(code).toBe(2);
  expect(stderr).toContain('--encoding cp850 if it is CP850: "Müller"');
});

test('a name that no encoding has is refused, and a near one proposed', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain\na.example\n');
  const { code, stderr } = await desk.type(['plan', 'list.csv', '--encoding', 'shift_jsi']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/"shift_jsi" is no encoding.*\n.*shift_jis/s);
});

test('a byte that is no character of the encoding is refused with its line', async () => {
  const desk = await openDesk();
  const list = Buffer.concat([
    iconv.encode('名,Domain\n王,a.example\n', 'gb18030'),
    Buffer.from('\xff\xff,b\n', 'latin1'),
  ]);
  await writeFile(desk.place.path('list.csv'), list);
  const { code, stderr } = await desk.type([...COMPANIES, '--encoding', 'gb18030']);
  expect(code).toBe(2);
  expect(stderr).toContain('list.csv, row 3, line 3: not GB18030 text.');
});

test('what was found and does not fit into the encoding is said with its row and column', async () => {
  const { desk } = await deskBefore(({ input: { domain } }) => ({
    name: domain === 'a.example' ? 'Café 東京' : '東京',
  }));
  const list = iconv.encode('氏名,Domain\n山田,a.example\n川口,b.example\n', 'shift_jis');
  await writeFile(desk.place.path('list.csv'), list);
  const { code, stderr } = await desk.type([...COMPANIES, '--encoding', 'shift_jis', '--add', 'City=name']);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'Shift_JIS has no "é" (U+00E9), so a ? stands in 1 cell that does not fit: row 2 in "City". ' +
      'An output that ends in .xlsx has them whole.',
  );
  const output = iconv.decode(await readFile(desk.place.path('out.csv')), 'shift_jis');
  expect(output).toMatch(/^氏名,Domain,City,.*\n山田,a\.example,Caf\? 東京,.*\n川口,b\.example,東京,/);
});
