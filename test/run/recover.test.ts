/**
 * Goal: a decision about a lost call holds for what it was made for and no longer, whoever dies or decides beside it. What is repeated,
 * and what a job pays again, is shown by `faults/changes.test.ts` and `faults/policies.test.ts`.
 * Method: the real pipeline over a real SQLite store, with an operation that exists only in tests and a vendor that
 * loses as many answers as the test says. The vendor counts the requests.
 */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Doubt, Ledger } from '../../src/ledger/ledger.ts';
import { losing, openPlace, type Place, runOnce, tagging, vendorScript } from '../support/doubtful.ts';

const place = (lost: number): Promise<Place> => openPlace(vendorScript(losing(lost)));

test('a leave to repeat that a kill left unused ends with the rule that gave it', async () => {
  // The run that repeats is killed before it sends; then the operation does not call its calls harmless any more.
  const at = await place(1);
  const { batch } = await runOnce(at);
  const doubt = await onlyDoubt(at, batch);
  const atMs = systemClock.wallMs();
  await at.ledger.decide({ key: doubt.key, batch, kind: 'repeat', by: 'rule', why: 'harmless', atMs });
  expect((await runOnce(at)).counts).toEqual({ in_doubt: 1 });
  expect(at.vendor.requests).toHaveLength(1);
  const skipping = tagging('hold', 'skip');
  expect((await runOnce(at, { job: skipping })).counts, 'the policy counts').toEqual({ skipped: 1 });
});

test('a doubt that another process settles while this one decides about it is looked at again', async () => {
  const at = await place(1);
  const { ledger } = at;
  const decide: Ledger['decide'] = async (decision, more) => {
    await ledger.decide({ ...decision, kind: 'told', by: 'person' }, { told: SET });
    return ledger.decide(decision, more);
  };
  const run = await runOnce(
    { ...at, ledger: beside(ledger, { decide }) },
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
