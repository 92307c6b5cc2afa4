/**
 * Goal: whatever is wrong with what a person hands in, the answer is one sentence on what is wrong, one on what to do,
 * and the exit code that the documentation lists; nothing is lost and nothing is spent.
 * Method: the real command before the sandbox as a vendor, one mistake at a time; the vendor's own book says that
 * nothing was bought. Stores and outputs have `bad-place.test.ts`.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openDesk } from './cli/desk.ts';
import { deskWithList, expectNothingSpent, type Refusal } from './support/refusal.ts';

describe('the input', () => {
  const ABSOLUTE = '^/.*';

  test.each<[string, string, (path: string) => Promise<unknown>, Refusal]>([
    [
      'is missing',
      'none.csv',
      async () => {},
      { code: 2, fact: new RegExp(`${ABSOLUTE}/none\\.csv does not exist\\.$`), next: /^Check the name/ },
    ],
    [
      'is empty',
      'empty.csv',
      (path) => writeFile(path, ''),
      {
        code: 2,
        fact: /empty\.csv is empty: it has neither a header nor rows\.$/,
        next: /^Name a file with the column names/,
      },
    ],
    [
      'has two columns of one name',
      'twice.csv',
      (path) => writeFile(path, 'Domain,Domain\nx.example,y.example\n'),
      { code: 2, fact: /columns 1 and 2 have the same name, "Domain"\.$/, next: /^Give every column/ },
    ],
    [
      'has no column for the operation',
      'other.csv',
      (path) => writeFile(path, 'Colour,Size\nred,1\n'),
      {
        code: 2,
        fact: /^A row is looked up by ABN, or .*"Colour", "Size"\.$/,
        next: /`columns:`/,
      },
    ],
    [
      'breaks off in the middle of a quote',
      'broken.csv',
      (path) => writeFile(path, 'Domain\nx.example\n"y.example\n'),
      { code: 2, fact: /row 3, line 3: a quote opens here and is not closed/, next: /^Close the quote/ },
    ],
    [
      'is half UTF-8 and half something else',
      'mixed.csv',
      (path) =>
        writeFile(path, Buffer.from('Name,Domain\nZo\xc3\xab,x.example\nZo\xeb,y.example\n', 'latin1')),
      {
        code: 2,
        fact: /mixed\.csv, row 3, line 3: not UTF-8 text/,
        next: /give its encoding with --encoding/,
      },
    ],
  ])('%s', async (_, name, make, refusal) => {
    const desk = await openDesk();
    await make(desk.place.path(name));
    await expectNothingSpent(desk, ['run', 'enrich-company', name, '--budget', '9'], refusal);
  });

  test('the input has a header and no rows: nothing is written, but for who reads a pipe', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Name,Domain\n');
    const refusal = {
      code: 2,
      fact: /\/list\.csv has no rows below the header\.$/,
      next: /^Fill it, or name/,
    };
    for (const words of [desk.run(), ['plan', 'enrich-company', 'list.csv'], ['plan', 'list.csv']])
      await expectNothingSpent(desk, words, refusal);
    await expect(desk.read('out.csv')).rejects.toThrow('ENOENT');
    const words = ['run', 'enrich-company', '-', '--budget', '9', '-o', 'out.csv'];
    expect(await desk.type(words, { stdin: 'Name,Domain\n' })).toMatchObject({ code: 0 });
    expect(await desk.read('out.csv')).toBe(
      'Name,Domain,_status,_reason,_matched_by,_match,_credits,_source,_as_of\n',
    );
    expect(await desk.requests()).toBe(0);
  });
});

describe('the job', () => {
  const job = (...more: readonly string[]) => ['run', './job.yaml', 'list.csv', '--budget', '9', ...more];

  test.each<[string, string, Refusal]>([
    [
      'is not YAML',
      'operation: enrich-company\ncolumns: { domain: [\n',
      { code: 2, fact: /job\.yaml.*:\d+:\d+: /, next: /\S/ },
    ],
    [
      'adds a column that the file has',
      'operation: enrich-company\nadd: { name: name }\n',
      { code: 2, fact: /already has a column "Name"/, next: /on_existing/ },
    ],
    [
      'has a condition on a column that the file lacks',
      'operation: enrich-company\nunless: { nmae: x }\n',
      {
        code: 2,
        fact: /job\.yaml:2:11: unless: the list has no column "nmae"\.$/,
        next: /Did you mean Name\?/,
      },
    ],
  ])('%s', async (_, yaml, refusal) => {
    const desk = await deskWithList();
    await desk.write('job.yaml', yaml);
    await expectNothingSpent(desk, job(), refusal);
  });

  test('the job is missing', async () => {
    const refusal = { code: 2, fact: /^\.\/job\.yaml: there is no such file\.$/, next: /\S/ };
    await expectNothingSpent(await deskWithList(), job(), refusal);
  });
});

describe('the account', () => {
  test('the account has no key where it says', async () => {
    const desk = await deskWithList();
    desk.place.writeAccount(desk.place.vendor.url, { key: undefined, key_env: 'MY_KEY' });
    const { code, stdout, stderr } = await desk.type(desk.run());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n').slice(-3);
    expect(lines[0]).toBe(
      'The key of the account data is missing: the environment variable MY_KEY is not set.',
    );
    expect(lines[1]).toMatch(/^Set MY_KEY to the key.* Then run the same command again:$/);
    expect(lines[2]).toBe(`npx rowonce ${desk.run().join(' ')}`);
    expect(await desk.requests()).toBe(0);
    expect(await desk.type(desk.run(), { env: { MY_KEY: 'k' } })).toMatchObject({ code: 0 });
  });

  test('the account has a key that the vendor refuses: 77, one request, and the rows wait for a better key', async () => {
    const desk = await deskWithList();
    desk.place.writeAccount(desk.place.vendor.url, { limits: { concurrency: 1 } });
    await desk.place.vendor.setFaults('401:1');
    const { code, stderr } = await desk.type(desk.run());
    expect(code).toBe(77);
    expect(stderr).toMatch(
      /^The provider refused the key: status 401.*\.\nPut a working key into the account.*\nnpx rowonce run .*\n$/m,
    );
    expect(stderr).not.toContain('key-1');
    expect(desk.place.statuses()).toEqual(['pending', 'pending']);
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 1, credits: 0 });
    await desk.place.vendor.setFaults();
    expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  });

  test('the account is in a file that others can read', async () => {
    const desk = await deskWithList();
    const file = desk.place.path('config/accounts.yaml');
    await chmod(file, 0o640);
    const refusal = {
      code: 2,
      fact: /accounts\.yaml can be read by other users \(mode 0640\)\.$/,
      next: /^Run chmod 600 /,
    };
    await expectNothingSpent(desk, desk.run(), refusal);
    await chmod(file, 0o600);
    expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  });

  test('the account has an address where nobody answers: three tries, and 2; once it has answered, that is an outage, and waited for', async () => {
    const desk = await deskWithList();
    // No one listens there.
    desk.place.writeAccount('http://127.0.0.1:1');
    const beganMs = performance.now();
    const refused = await desk.type(desk.run());
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /\nhttp:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\nCheck base_url of the account, the network and the proxy\.\nnpx rowonce run .*\n$/,
    );
    desk.place.writeAccount(desk.place.vendor.url, { id: 'one' });
    expect(await desk.type(desk.run('--limit', '1'))).toMatchObject({ code: 0 });
    desk.place.writeAccount('http://127.0.0.1:1', { id: 'one' });
    const out = await desk.type(desk.run('--max-pause', '6s'));
    expect(out, out.stderr).toMatchObject({ code: 75 });
    // How long each wait is has chance in it, so the last one is too long alone, or with those before.
    expect(out.stderr).toMatch(
      /\(connect ECONNREFUSED.+ (?:That|Together that) is longer than --max-pause allows \(6 s\)\./,
    );
  });
});

test('a command that was mistyped', async () => {
  const desk = await deskWithList();
  const mistakes: readonly (readonly [readonly string[], RegExp, RegExp])[] = [
    [
      ['run', 'enrich-company'],
      /No file is named for enrich-company/,
      /rowonce run enrich-company list\.csv$/,
    ],
    [['run', 'list.csv'], /list\.csv is a list, and no job is named for it/, /plan list\.csv$/],
    [['run', 'enrich-company', 'list.csv', '--budget', '-5'], /--budget -5/, /digits/],
    [['run', 'enrich-company', 'list.csv', '--wait', 'long'], /--wait long/, /30s, 10m or 2h/],
  ];
  for (const [words, fact, next] of mistakes) await expectNothingSpent(desk, words, { code: 2, fact, next });
});
