import { describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import type { Program } from './program.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a run that is asked to stop keeps what it has paid for and says how to go on; a budget stops it just so.
 * Method: signals to the real process while the vendor is answering slowly, and the typed command of its last line.
 */

/** Seconds of a slow vendor, so that a run is stopped on its way however busy the machine is. */
const ROWS = 100;

describe.concurrent('asked to stop', () => {
  test.for(
    some(
      [
        ['SIGINT', 130, 'interrupted'],
        ['SIGTERM', 143, 'terminated'],
        ['SIGHUP', 143, 'terminated'],
      ] as const,
      1,
    ),
  )(
    'by %s: what is in flight is recorded, nothing is in doubt, and the last line goes on',
    async ([signal, code, stopped]) => {
      await using workplace = await Workplace.open({ latencyMs: 300 });
      workplace.writeList(domainsOf('stop', ROWS));
      const program = workplace.start();
      await requestsAt(workplace, 5);
      program.signal(signal);
      const ended = await program.ended;

      expect(ended).toMatchObject({ code, report: { stopped: { code: stopped } } });
      expect(ended.stderr).toMatch(/Stopping: \d+ requests? in flight/);
      const { open, inDoubt, spent } = workplace.ledger();
      const { credits, requests } = await workplace.vendor.book();
      expect({ open, inDoubt, spent }).toEqual({ open: [], inDoubt: 0, spent: credits });
      expect(requests, 'stopped on its way').toBeLessThan(ROWS);

      workplace.hurry();
      expect((await typeLastLine(workplace, ended.lastLine).ended).code).toBe(0);
      expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
      expect((await workplace.vendor.book()).requests, 'nothing was asked twice').toBe(ROWS);
    },
  );

  test('a second time: it leaves at once, and what was on its way is in doubt', async () => {
    await using workplace = await Workplace.open({ latencyMs: 30_000, concurrency: 2 });
    workplace.writeList(domainsOf('hurry', ROWS));
    const program = workplace.start();
    await requestsAt(workplace, 2);
    program.signal('SIGINT');
    await program.said(/Stopping: 2 requests in flight/);
    program.signal('SIGINT');
    const { code, stderr } = await program.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/may be in doubt/);
    expect(workplace.ledger().open, 'the answers take 30 s, and it did not wait for them').toHaveLength(2);

    // A vendor that is started again answers at once.
    const { port } = workplace.vendor;
    await workplace.vendor.stop();
    await using _ = await workplace.reopenVendor({ port });
    expect(await workplace.runHere()).toMatchObject({
      code: 3,
      report: { counts: { in_doubt: 2, matched: ROWS - 2 } },
    });
  });
});

describe.concurrent('a budget', () => {
  test('counts what is in doubt, because it may have been charged', async () => {
    await using workplace = await Workplace.open({ faults: 'charged-reset:x4', concurrency: 1 });
    workplace.writeList(domainsOf('doubtful', 10));
    expect(await workplace.runHere({ budget: 6 })).toMatchObject({
      code: 4,
      report: { credits: { spent: 2, in_doubt: 4 } },
    });
    expect((await workplace.vendor.book()).credits).toBe(6);
  });
});

/** Resolves when so many requests have reached the vendor. */
async function requestsAt(workplace: Workplace, count: number): Promise<void> {
  while ((await workplace.vendor.book()).requests < count);
}

/** Types the last line as a user would, `npx rowonce` being the program. Paths here need no quotes. */
function typeLastLine(workplace: Workplace, line: string): Program {
  const [npx, rowonce, ...words] = line.split(' ');
  expect([npx, rowonce]).toEqual(['npx', 'rowonce']);
  return workplace.type(words);
}
