/**
 * Goal: a job may ask with all identifiers that a row has. Each set of them is a call of its own, and none is bought twice.
 * Method: the real commands before the sandbox, whose log says what was asked.
 */
import { expect, test } from 'vitest';
import { Clocks } from './clocks.ts';
import { type Desk, deskBefore, openDesk } from './desk.ts';

const asked = ({ place }: Desk): readonly object[] => place.vendor.requests().map(({ body }) => body);

const LIST = `Email,LinkedIn,Name
jo@one.example,linkedin.com/in/jo-one,
flo@two.example,,
,linkedin.com/in/bo-three,
,,nobody
`;

test('a row is asked for by all identifiers that it has in one call, which is known by what was sent', async () => {
  const desk = await openDesk({ concurrency: 1 });
  await desk.write('list.csv', LIST);
  await desk.write('plain.yaml', 'operation: enrich-person\nwaterfall: [email]\n');
  await desk.write('one.csv', 'Email\nflo@two.example\n');
  await desk.type(['run', 'plain.yaml', 'one.csv', '--budget', '9', '-o', 'one-out.csv']);
  await desk.write(
    'all.yaml',
    'operation: enrich-person\nwaterfall: [{ all: [email, profile_url] }, profile_url]\n',
  );

  const { stdout } = await desk.type(['plan', 'all.yaml', 'list.csv']);
  expect(stdout).toContain(
    '  looked up by   whatever the row has of email and profile_url, then profile_url\n',
  );
  expect(await desk.json(['plan', 'all.yaml', 'list.csv'])).toMatchObject({
    rows: 4,
    invalid: 1,
    bought_before: 1,
    to_buy: 2,
    credits: { most: 4 },
  });
  const run = ['run', 'all.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];
  const { counts } = await desk.json([...run, '--save-job', 'kept.yaml']);
  expect(counts).toEqual({ matched: 3, invalid: 1 });
  expect(asked(desk)).toEqual([
    { email: 'flo@two.example' },
    { email: 'jo@one.example', profile_url: 'https://www.linkedin.com/in/jo-one' },
    { profile_url: 'https://www.linkedin.com/in/bo-three' },
  ]);
  expect(desk.place.rows().map(({ _matched_by, _source }) => [_matched_by, _source])).toEqual([
    ['email+profile_url', 'bought'],
    ['email', 'ledger'],
    ['profile_url', 'bought'],
    ['', ''],
  ]);
  expect(desk.place.rows()[3]?._reason).toBe('no usable identifier: e-mail: blank; profile URL: blank');

  // The job that was kept is the same job: it goes by the same batch, and buys nothing.
  expect(await desk.json(['plan', 'kept.yaml', 'list.csv'])).toMatchObject({ bought_before: 3, to_buy: 0 });
});

test('a profile is one call, whether a row has its address or its slug, and whichever list came first', async () => {
  const desk = await openDesk({ concurrency: 1 });
  await desk.write('urls.csv', 'LinkedIn\nlinkedin.com/in/Jo-One\nhttps://au.linkedin.com/in/bo-two/\n');
  await desk.write('slugs.csv', 'Profile Slug\njo-one\nbo-two\nflo-three\n');
  await desk.type(['run', 'enrich-person', 'urls.csv', '--budget', '9', '-o', 'urls-out.csv']);
  const plan = await desk.json(['plan', 'enrich-person', 'slugs.csv']);
  expect(plan).toMatchObject({ bought_before: 2, to_buy: 1 });
  await desk.type(['run', 'enrich-person', 'slugs.csv', '--budget', '9', '-o', 'out.csv']);
  expect(asked(desk)).toEqual([
    { profile_url: 'https://www.linkedin.com/in/jo-one' },
    { profile_url: 'https://www.linkedin.com/in/bo-two' },
    { profile_slug: 'flo-three' },
  ]);
  expect(desk.place.rows().map(({ _source, _matched_by }) => [_source, _matched_by])).toEqual([
    ['ledger', 'profile_slug'],
    ['ledger', 'profile_slug'],
    ['bought', 'profile_slug'],
  ]);
});

const DAY_MS = 24 * 3_600_000;

test('a miss is asked for again by its own age, also where a later identifier has found its row; a match is not', async () => {
  const at = await deskBefore(({ input }) => {
    const isKnown = input.email === 'jo@one.example' || input.profile_url !== undefined;
    return { data: isKnown ? { full_name: 'Somebody' } : {} };
  });
  const { desk } = at;
  const clocks = new Clocks(desk.place.path('clock.json'));
  const list = [
    'Email,LinkedIn',
    'jo@one.example,',
    'bo@two.example,linkedin.com/in/bo',
    'flo@three.example,',
    '',
  ];
  await desk.write('list.csv', list.join('\n'));
  const job = 'operation: enrich-person\nwaterfall: [email, profile_url]\nrefresh_no_match_after: 30d\n';
  await desk.write('job.yaml', job);
  const run = async (): Promise<readonly object[]> => {
    const before = at.asked.length;
    const words = ['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];
    await desk.type(words, { env: clocks.env });
    expect(desk.place.rows().map(({ _status }) => _status)).toEqual(['matched', 'matched', 'no_match']);
    return at.asked.slice(before).map(({ input }) => input);
  };
  clocks.set({ wallMs: -40 * DAY_MS });
  at.timeMs = () => Date.now() - 40 * DAY_MS;
  expect(await run()).toHaveLength(4);
  expect(await run()).toEqual([]);
  clocks.set({});
  at.timeMs = Date.now;
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ bought_before: 1, to_buy: 2 });
  expect(await run()).toEqual([{ email: 'bo@two.example' }, { email: 'flo@three.example' }]);
  expect(await run()).toEqual([]);
});
