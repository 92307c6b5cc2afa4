/**
 * Goal: a call that says why repeating it is harmless settles itself after a lost answer, at most three times; one that
 * does not is never repeated, whatever else happens; and a job that pays again for a lost call does so once.
 * Method: the real pipeline over a real SQLite store, with an operation that exists only in tests and a vendor that
 * loses as many answers as the test says. The vendor counts the requests.
 */
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { credits, type Doubt, decide, type Ledger } from '../../src/ledger/ledger.ts';
import { proof } from '../combinations.ts';
import { attemptsOf, losing, openPlace, type Place, runOnce, tagging, vendorScript } from '../doubtful.ts';

const place = (lost: number): Promise<Place> => openPlace(vendorScript(losing(lost)));

describe('a call that is harmless to repeat', () => {
  const job = tagging({ repeat: 'a tag that is set twice is set' });

  test.each([0, 1, 2, 3])('settles itself after %i lost answers', async (lost) => {
    const at = await place(lost);
    expect((await runOnce(at, { job })).counts).toEqual({ applied: 1 });
    expect(at.vendor.requests).toHaveLength(lost + 1);
  });

  test('is repeated three times and no more, by no later run either, and every time is in the ledger', async () => {
    const at = await place(100);
    expect((await runOnce(at, { job })).counts).toEqual({ in_doubt: 1 });
    const again = await runOnce(at, { job });
    expect(again.counts).toEqual({ in_doubt: 1 });
    expect(at.vendor.requests).toHaveLength(4);
    const history = await attemptsOf(at, again.batch);
    expect(history.map(({ decision }) => decision?.kind)).toEqual([undefined, 'repeat', 'repeat', 'repeat']);
    expect(history.at(-1)?.decision).toMatchObject({ by: 'rule', why: 'a tag that is set twice is set' });
  });
});

test('a call that may have been charged is not repeated', async () => {
  const at = await place(1);
  expect((await runOnce(at, { job: tagging('hold') })).counts).toEqual({ in_doubt: 1 });
  expect(at.vendor.requests).toHaveLength(1);
});

describe('a job that says retry', () => {
  const job = tagging('hold', { kind: 'retry', extraCredits: credits(5) });

  test('pays once more for a lost call', async () => {
    const at = await place(1);
    expect(await runOnce(at, { job })).toMatchObject({ counts: { applied: 1 } });
    expect(at.vendor.requests).toHaveLength(2);
  });

  test('pays no third time when that is lost too, in no later run, though the extra credits would do', async () => {
    const at = await place(2);
    await runOnce(at, { job });
    const { counts, batch } = await runOnce(at, { job });
    expect(counts).toEqual({ in_doubt: 1 });
    expect(at.vendor.requests).toHaveLength(2);
    const [row] = await at.ledger.rows(batch, 2, 1);
    expect(row?.outcome.reason).toMatch(/; the job had it sent again, and that answer was lost too$/);
  });

  test('goes on when a person says so', async () => {
    const at = await place(2);
    const { batch } = await runOnce(at, { job });
    const doubt = await onlyDoubt(at, batch);
    const why = 'asked for by the user';
    await decide(at.ledger, {
      key: doubt.key,
      batch,
      kind: 'retry',
      by: 'person',
      why,
      atMs: at.clock.wallMs(),
    });
    expect((await runOnce(at, { job })).counts).toEqual({ applied: 1 });
    expect(at.vendor.requests).toHaveLength(3);
  });
});

proof('a leave to repeat that a kill left unused ends with the rule that gave it', async () => {
  // The run that repeats is killed before it sends; then the operation does not call its calls harmless any more.
  const at = await place(1);
  const { batch } = await runOnce(at);
  const doubt = await onlyDoubt(at, batch);
  const atMs = systemClock.wallMs();
  await decide(at.ledger, { key: doubt.key, batch, kind: 'repeat', by: 'rule', why: 'harmless', atMs });
  expect((await runOnce(at)).counts).toEqual({ in_doubt: 1 });
  expect(at.vendor.requests).toHaveLength(1);
  const skipping = tagging('hold', { kind: 'skip' });
  expect((await runOnce(at, { job: skipping })).counts, 'the policy counts').toEqual({ skipped: 1 });
});

test('a doubt that another process settles while this one decides about it is looked at again', async () => {
  const at = await place(1);
  const { ledger } = at;
  const append: Ledger['append'] = async (list) => {
    for (const entry of list)
      if (entry.kind === 'decision')
        await decide(ledger, { ...entry.decision, kind: 'told', by: 'person' }, SET);
    return ledger.append(list);
  };
  const run = await runOnce(
    { ...at, ledger: beside(ledger, { append }) },
    { job: tagging({ repeat: 'it is set' }) },
  );
  expect(run.counts).toEqual({ applied: 1 });
  expect(at.vendor.requests).toHaveLength(1);
});

const SET = { status: 200, headers: {}, body: Buffer.from('{"tag":"set"}'), receivedAtMs: 0 };

/** The ledger with some of its methods replaced. */
function beside(ledger: Ledger, methods: Partial<Ledger>): Ledger {
  const own = (name: keyof Ledger): unknown => {
    const value = ledger[name];
    return typeof value === 'function' ? value.bind(ledger) : value;
  };
  return new Proxy(ledger, {
    get: (_, name) => methods[name as keyof Ledger] ?? own(name as keyof Ledger),
  });
}

async function onlyDoubt({ ledger }: Place, batch: Doubt['batch']): Promise<Doubt> {
  const [doubt, ...others] = await ledger.doubts(batch);
  if (doubt === undefined || others.length > 0) throw new Error(`${others.length + 1} calls are in doubt`);
  return doubt;
}
