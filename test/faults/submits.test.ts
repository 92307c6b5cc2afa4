/**
 * Goal: the rows of a list stand in the ledger before anything is sent. A run that is killed while it submits goes on where it was, by
 * the same command.
 * Method: a list of several groups of rows; the program is killed between two of them. The vendor's book says what was asked.
 */
import { expect, test } from 'vitest';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

test.each([1, 2])(
  'a run that is killed while it submits (group %i) has sent nothing, and the same command sends all of it once',
  async (group) => {
    await using place = await Workplace.open({ concurrency: 16 });
    place.writeList([...domainsOf('submitted', 2_400), 'not a domain']);
    const killed = await place.run({ crashAt: `submitting:${group}` });
    expect(killed.signal).toBe('SIGKILL');
    expect((await place.vendor.book()).requests).toBe(0);
    expect(await place.runHere()).toMatchObject({
      code: 3,
      report: { counts: { matched: 2_400, invalid: 1 } },
    });
    expect((await place.vendor.book()).requests).toBe(2_400);
    expect(await brokenPromises(place)).toEqual(NONE_BROKEN);
  },
);
