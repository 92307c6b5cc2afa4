import { describe, expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a run that is asked to stop keeps what it has paid for and says how to go on.
 * Method: signals to the real process while the vendor is answering slowly, and the typed command of its last line.
 */

/** Seconds of a slow vendor, so that a run is stopped on its way however busy the machine is. */
const ROWS = 100;

const SIGNALS = [
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 143, 'terminated'],
] as const;

describe.concurrent('asked to stop', () => {
  test.for(some(SIGNALS, 1))(
    'a run that is asked by %s to stop: what is in flight is recorded, nothing is in doubt, and the last line goes on',
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
      // As a user types it, `npx rowonce` being the program. Paths here need no quotes.
      const [npx, rowonce, ...words] = ended.lastLine.split(' ');
      expect([npx, rowonce]).toEqual(['npx', 'rowonce']);
      expect((await workplace.type(words).ended).code).toBe(0);
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
  });
});

/** Resolves when so many requests have reached the vendor. */
async function requestsAt(workplace: Workplace, count: number): Promise<void> {
  while ((await workplace.vendor.book()).requests < count);
}
