/**
 * Goal: right after a kill `settle` and `status` show what was on its way, and what may be decided is decided about all
 * of it.
 * Method: the real program, killed with requests on their way to a slow vendor; the commands that are typed then.
 */
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { Desk, objectIn } from './desk.ts';

const IN_FLIGHT = 3;

/** A run that has as many requests on their way. */
async function runningDesk(place: Workplace) {
  const desk = new Desk(place);
  place.writeList(domainsOf('open', 8));
  const program = place.start();
  await program.until(() => place.vendor.requests().length === IN_FLIGHT);
  return { desk, program };
}

const openPlace = () => Workplace.open({ latencyMs: 60_000, concurrency: IN_FLIGHT });

proof('after a kill the list is of everything that was on its way, and deciding is, too', async () => {
  await using place = await openPlace();
  const { desk, program } = await runningDesk(place);
  await program.kill();
  const status = await desk.type(['status', 'last']);
  expect(status.stdout).toContain(
    `Open       ${IN_FLIGHT} requests have no answer yet; if no run is at work, the next run or settle counts them as in doubt.`,
  );
  expect(await desk.json(['status', 'last'])).toMatchObject({ open: IN_FLIGHT });

  const list = await desk.type(['settle', 'last', '--json']);
  expect(objectIn(list.stdout)).toMatchObject({ at_risk: IN_FLIGHT, open: 0 });
  expect(objectIn(list.stdout).in_doubt).toHaveLength(IN_FLIGHT);
  expect(list.stderr).toContain(
    `${IN_FLIGHT} requests were open when the program ended; those without an answer are in doubt now.`,
  );
  expect((await desk.type(['settle', 'last'])).stdout).toContain(
    `${IN_FLIGHT} in doubt, ${IN_FLIGHT} credits at risk.`,
  );
  expect((await desk.type(['status', 'last'])).stdout).toContain(
    `0 spent, ${IN_FLIGHT} in doubt, 0 reserved`,
  );
  expect(await desk.requests()).toBe(IN_FLIGHT);
});

test('a decision right after a kill is about all of it, without a list before', async () => {
  await using place = await openPlace();
  const { desk, program } = await runningDesk(place);
  await program.kill();
  expect(await desk.type(['settle', 'last', '--skip'])).toMatchObject({
    code: 0,
    stdout: `Noted for ${IN_FLIGHT} calls: skip.\n`,
  });
});

proof('beside a run that goes on nothing is taken for in doubt', async () => {
  await using place = await openPlace();
  const { desk } = await runningDesk(place);
  const list = await desk.type(['settle', 'last']);
  expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing in batch') });
  expect(list.stdout).toContain(`${IN_FLIGHT} requests have no answer yet; if no run is at work,`);
  expect(place.ledger().open).toHaveLength(IN_FLIGHT);
});
