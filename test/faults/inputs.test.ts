import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: calls are paid for, not rows and not files: whatever happens to a list, only what nobody has asked before is
 * bought.
 * Method: lists are run, changed as users change them, and run again; the vendor's book counts.
 */

const DOMAINS = domainsOf('list', 12);
const MORE = domainsOf('more', 3);
const PUT_IN = domainsOf('put-in', 2);

describe('a list that was run before', () => {
  let workplace: Workplace;

  beforeAll(async () => {
    workplace = await Workplace.open();
    workplace.writeList(DOMAINS);
    expect((await workplace.runHere()).code).toBe(0);
  });

  afterAll(() => workplace[Symbol.asyncDispose]());

  // One after the other in one store, so that what a case buys is bought by it alone.
  test.for(
    some(
      [
        ['re-ordered', DOMAINS.toReversed(), 0],
        ['with rows taken out', DOMAINS.slice(3, 9), 0],
        ['with rows added at its end', [...DOMAINS, ...MORE], 3],
        ['with rows put in and an edited one', [...PUT_IN, ...DOMAINS.slice(1), 'edited.example'], 3],
        ['with every row twice', [...DOMAINS, ...DOMAINS], 0],
        ['written in another way', DOMAINS.map((domain) => `https://www.${domain.toUpperCase()}/about`), 0],
      ] as const,
      2,
    ),
  )('%s: only the difference is bought', async ([, domains, bought]) => {
    const { credits } = await workplace.vendor.book();
    workplace.writeList(domains);
    expect(await workplace.runHere()).toMatchObject({ code: 0, report: { requests: bought } });
    expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
    expect((await workplace.vendor.book()).credits).toBe(credits + bought);
    const fromLedger = workplace.rows().filter(({ _source }) => _source === 'ledger');
    expect(fromLedger).toHaveLength(domains.length - bought);
    expect(fromLedger.every(({ _credits }) => _credits === '0')).toBe(true);
  });
});

describe.concurrent('equal calls', () => {
  test('in one file are bought once and given to every row; the lowest row pays', async () => {
    await using workplace = await Workplace.open({ latencyMs: 20 });
    workplace.writeList(['twice.example', 'other.example', 'TWICE.example', 'https://twice.example/contact']);
    expect(await workplace.runHere()).toMatchObject({
      code: 0,
      report: { requests: 2, credits: { spent: 2, saved: 2 } },
    });
    const shown = workplace.rows().map(({ _credits, _source, name }) => [_credits, _source, name]);
    const [twice, other] = shown;
    expect(shown).toEqual([
      ['1', 'bought', twice?.[2]],
      ['1', 'bought', other?.[2]],
      ['0', 'row 2', twice?.[2]],
      ['0', 'row 2', twice?.[2]],
    ]);
  });

  test('of which one is lost leave all their rows in doubt, and are asked once', async () => {
    await using workplace = await Workplace.open({ faults: 'charged-reset:x1', concurrency: 1 });
    workplace.writeList(['lost.example', 'lost.example', 'lost.example']);
    expect(await workplace.runHere()).toMatchObject({
      code: 3,
      report: { requests: 1, credits: { in_doubt: 1 } },
    });
    expect(workplace.statuses()).toEqual(['in_doubt', 'in_doubt', 'in_doubt']);
  });
});
