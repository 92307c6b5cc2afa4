import { expect, test } from 'vitest';
import {
  type Admission,
  admit as admitIntent,
  type BatchId,
  closeAttempt,
  credits,
  type Ledger,
  recordReply,
} from '../../../src/ledger/ledger.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  intentOf,
  lost,
  NOON_MS,
  replyWith,
} from './book.ts';
import { booksOf, twoWorkers, workplace } from './postgres-workers.ts';

// Goal: whatever many workers admit at once, no cap is passed, and none of it is lost to a worker that is gone. Method: ledgers over one
// real database; what the purses say is held against what the entries of the book add up to.

/** Workers ask for the same number of calls at once, each for calls of its own. */
async function askAll(
  ledgers: readonly Ledger[],
  batch: BatchId,
  each: number,
  { reserve = 1, word = 'call' } = {},
) {
  const asked = ledgers.flatMap((ledger, worker) =>
    Array.from({ length: each }, (_, at) => admit(ledger, batch, `${word}${worker}-${at}`, { reserve })),
  );
  return (await Promise.all(asked)).map(({ kind }: Admission) => kind);
}

const countOf = (kinds: readonly string[], kind: string): number =>
  kinds.filter((each) => each === kind).length;

test('what workers admit at once is the budget to its last credit, and the others wait', async () => {
  const place = await workplace();
  const first = await place.worker();
  const ledgers = [first, await place.worker(), await place.worker(), await place.worker()];
  const batch = await batchNamed(first, 'a');
  await first.changeBatch(batch, { budget: credits(101) });
  const kinds = await askAll(ledgers, batch, 40, { reserve: 2 });
  expect(countOf(kinds, 'admitted')).toBe(50);
  expect(countOf(kinds, 'wait')).toBe(110);
  expect(await first.batchMoney(batch)).toEqual({ cap: 101, spent: 0, reserved: 100, inDoubt: 0 });
  const { entries, purses } = await booksOf(place);
  expect(purses).toEqual(entries);
});

test('a day of an account is one for all its batches and workers', async () => {
  const [, one, other] = await twoWorkers();
  await one.setAccountCaps(ACCOUNT, { perDay: credits(30) });
  const [a, b] = [await batchNamed(one, 'a'), await batchNamed(one, 'b')];
  const asked = [askAll([one], a, 20, { word: 'one' }), askAll([other], b, 20, { word: 'other' })];
  expect(countOf((await Promise.all(asked)).flat(), 'admitted')).toBe(30);
  const tomorrow = { atMs: NOON_MS + DAY_MS };
  expect(await admit(other, b, 'tomorrow', tomorrow)).toMatchObject({ kind: 'admitted' });
});

test('what an account may do is one for all, as the first of them said, until a person lets something else hold', async () => {
  const [place, one, other] = await twoWorkers();
  await place.later(0);
  const account = { identity: ACCOUNT, name: 'data' };
  const twenty = { windows: [{ requests: 20, windowMs: 1_000 }], caps: { perDay: credits(2) } };
  const thirty = { ...twenty, caps: { perDay: credits(3), perMonth: credits(9) } };
  expect(await other.spenders?.holdTo(account, thirty), 'nobody has used it').toBeUndefined();
  await one.spenders?.agreeOn(account, twenty);
  await other.spenders?.agreeOn(account, twenty);
  const isRefused = {
    code: 'account',
    message: expect.stringMatching(
      /^Account data has 20 requests in 1 s and 2 credits a day in the ledger at postgres:.*, but 20 requests in 1 s and 3 credits a day and 9 credits a month in .*accounts\.yaml\.$/,
    ),
    next: expect.stringContaining('rowonce store caps postgres://'),
  };
  await expect(other.spenders?.agreeOn(account, thirty)).rejects.toMatchObject(isRefused);
  const batch = await batchNamed(one, 'a');
  expect(countOf(await askAll([one, other], batch, 4), 'admitted')).toBe(2);
  await one.spenders?.beat({
    accounts: [{ account: ACCOUNT, quotas: [], wants: true, inFlight: 0, sends: 0, batches: [] }],
  });
  expect(await other.spenders?.holdTo(account, thirty), 'budgets change at once').toEqual(twenty);
  expect(await admit(other, batch, 'more')).toMatchObject({ kind: 'admitted' });
  await expect(one.spenders?.agreeOn(account, twenty)).rejects.toMatchObject({ code: 'account' });
  const faster = { ...thirty, windows: [{ requests: 40, windowMs: 1_000 }] };
  await expect(other.spenders?.holdTo(account, faster)).rejects.toMatchObject({ code: 'busy' });
  await one.close();
  expect(await other.spenders?.holdTo(account, faster), 'nobody sends by it any more').toEqual(thirty);
});

test('what a worker took for itself and did not use is spent by the others when it is gone', async () => {
  const [, gone, other] = await twoWorkers();
  const batch = await batchNamed(gone, 'a');
  await gone.changeBatch(batch, { budget: credits(80) });
  await admitted(gone, batch, 'open');
  await lost(gone, batch, 'lost', { reserve: 3 });
  const kinds = await askAll([other], batch, 90);
  expect(countOf(kinds, 'admitted')).toBe(76);
  expect(await other.batchMoney(batch)).toEqual({ cap: 80, spent: 0, reserved: 77, inDoubt: 3 });
});

test('a budget is reached only when nothing that is reserved anywhere can come back', async () => {
  const [, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  await one.changeBatch(batch, { budget: credits(2) });
  await lost(one, batch, 'lost');
  const open = await admitted(one, batch, 'open');
  expect(await admit(other, batch, 'more')).toMatchObject({ kind: 'wait', scope: 'batch' });
  await closeAttempt(one, open, { kind: 'not_sent', why: 'x' }, NOON_MS);
  expect(await admit(other, batch, 'two', { reserve: 2 })).toMatchObject({
    kind: 'over_budget',
    scope: 'batch',
  });
  expect(await admit(other, batch, 'more')).toMatchObject({ kind: 'admitted' });
});

test('a higher budget is there for all at once, a lower one takes back what nobody has used, and none has an end', async () => {
  const [place, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  await admitted(one, batch, 'before there was a cap');
  await one.changeBatch(batch, { budget: credits(1) });
  expect(await admit(one, batch, 'one')).toMatchObject({ kind: 'wait' });
  await other.changeBatch(batch, { budget: credits(1_000) });
  await Promise.all([admitted(one, batch, 'one'), admitted(other, batch, 'two')]);
  await other.changeBatch(batch, { budget: credits(4) });
  const kinds = [
    await admit(one, batch, 'three'),
    await admit(one, batch, 'four'),
    await admit(other, batch, 'five'),
  ];
  expect(kinds.map(({ kind }) => kind)).toEqual(['admitted', 'wait', 'wait']);
  await one.changeBatch(batch, { budget: null });
  await admitted(other, batch, 'five');
  const { entries, purses } = await booksOf(place);
  expect(purses).toEqual(entries);
});

test('whoever ends an attempt, it ends in the purse that admitted it, and a dearer answer is booked all the same', async () => {
  const [place, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  await one.changeBatch(batch, { budget: credits(10) });
  await answered(other, batch, 'its own');
  const attempt = await admitted(one, batch, 'acme');
  await recordReply(one, attempt, replyWith('acme'));
  const closure = { kind: 'answered', answer: 'found', charged: credits(40), why: 'x' } as const;
  await closeAttempt(other, attempt, closure, NOON_MS);
  expect(await one.batchMoney(batch)).toEqual({ cap: 10, spent: 41, reserved: 0, inDoubt: 0 });
  expect(await admit(one, batch, 'more')).toMatchObject({ kind: 'over_budget' });
  const { entries, purses } = await booksOf(place);
  expect(purses).toEqual(entries);
  expect(purses).toMatchObject([{ spent: 40 }, { spent: 1 }]);
});

test('an admission waits for no other worker, whatever that one does with its purse', async () => {
  const [place, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  await one.changeBatch(batch, { budget: credits(1_000) });
  await Promise.all([admitted(one, batch, 'one'), admitted(other, batch, 'two')]);
  await place.database.write(async (sql) => {
    await sql.rows('SELECT FROM purses WHERE worker = (SELECT max(worker) FROM purses) FOR UPDATE');
    await sql.rows('SELECT FROM batches FOR UPDATE');
    await admitted(one, batch, 'three');
  });
});

test('before a price is known all workers together hold one call that shows it', async () => {
  const [, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  const unpriced = (word: string) => ({ ...intentOf(batch, word), isUnpriced: true }) as const;
  const both = await Promise.all([admitIntent(one, unpriced('one')), admitIntent(other, unpriced('two'))]);
  expect(both.map(({ kind }) => kind).toSorted()).toEqual(['admitted', 'wait']);
  const [attempt] = both.flatMap((admission) => (admission.kind === 'admitted' ? [admission.attempt] : []));
  if (attempt === undefined) throw new Error('one of them was admitted');
  await recordReply(one, attempt, replyWith('acme'));
  const closure = {
    kind: 'answered',
    answer: 'found',
    charged: credits(3),
    why: 'x',
    showsPrice: true,
  } as const;
  await closeAttempt(one, attempt, closure, NOON_MS);
  const later = await Promise.all([
    admitIntent(one, unpriced('three')),
    admitIntent(other, unpriced('four')),
  ]);
  expect(later).toMatchObject([
    { kind: 'admitted', reserved: 3 },
    { kind: 'admitted', reserved: 3 },
  ]);
});

test.each([
  ['a purse that is granted more than the cap', 'UPDATE purses SET granted = 10'],
  ['a purse without an end where there is a cap', 'UPDATE purses SET granted = NULL'],
  [
    'another purse',
    `INSERT INTO purses (scope, of, period, worker, granted) SELECT scope, of, period, 99, 10 FROM purses WHERE scope = 'batch'`,
  ],
  ['an admission above what its purse holds', 'UPDATE purses SET reserved = reserved + 10'],
  ['money that comes from nowhere', 'UPDATE purses SET spent = -1'],
])('the database refuses %s', async (_, attack) => {
  const place = await workplace();
  const one = await place.worker();
  const batch = await batchNamed(one, 'a');
  await one.changeBatch(batch, { budget: credits(8) });
  await admitted(one, batch, 'one');
  await expect(place.database.script(attack)).rejects.toThrow();
});

test('an answer that shows a price which is known waits for nobody who keeps that price', async () => {
  const [{ database }, one] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  const buy = async (word: string): Promise<void> => {
    const attempt = await admitted(one, batch, word);
    await recordReply(one, attempt, replyWith(word));
    const closure = {
      kind: 'answered',
      answer: 'found',
      charged: credits(1),
      why: 'it was',
      showsPrice: true,
    } as const;
    await closeAttempt(one, attempt, closure, NOON_MS + 50);
  };
  await buy('first');
  await database.write(async (sql) => {
    expect(await sql.rows('SELECT FROM prices FOR UPDATE')).toHaveLength(1);
    await buy('second');
  });
});
