import { describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { badOnceSettled, Gateway } from './gateway.ts';
import { endedOf } from './program.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { ScriptedVendor } from './scripted-vendor.ts';
import { domainsOf, PATIENT, Workplace } from './workplace.ts';

/*
 * Goal: what answers in the vendor's place ends no row, and very many misses in a row end rows only when a person says
 * so; an honest vendor and a list full of unknown companies are not held up for ever (protocol, rule 9).
 * Method: a proxy in front of the vendor that has bad times, and a vendor that knows some companies. Its book, or the
 * requests that it got, say what was asked and charged.
 */

/** As many requests as may be on their way at once, unless a test says otherwise. */
const AT_ONCE = 3;

describe.concurrent("a proxy's page in the vendor's place", () => {
  test.each(
    some(
      [
        [404, {}],
        [404, { reached: true }],
        [400, { reached: true }],
      ] as const,
      1,
    ),
  )('with status %i ends no row: the calls are in doubt, and the others go on (%o)', async (status, how) => {
    await using workplace = await Workplace.open({ concurrency: AT_ONCE });
    await using gateway = await Gateway.before(
      workplace.vendor.url,
      badOnceSettled(21, { status, ...how }, AT_ONCE),
    );
    workplace.writeAccount(gateway.url);
    workplace.writeList(domainsOf('paged', 60));
    const first = await workplace.runHere(PATIENT);
    expect(first).toMatchObject({
      code: 75,
      report: { stopped: { code: 'paused' }, counts: { matched: 20 } },
    });
    expect(Object.keys(first.report?.counts ?? {}).sort(), 'no row is refused or without a match').toEqual([
      'in_doubt',
      'matched',
    ]);
    expect(first.stderr, 'it says what would make the page an answer').toContain(
      `\`- { status: [${status}], body: { is: unreadable }, means: no_match }\``,
    );
    const { inDoubt } = workplace.ledger();
    expect(inDoubt).toBeGreaterThanOrEqual(5);
    const bound = 5 + (AT_ONCE - 1);
    expect(inDoubt, 'five in a row, and what was on its way beside the fifth').toBeLessThanOrEqual(bound);

    gateway.weather = () => undefined;
    expect(await workplace.runHere()).toMatchObject({
      code: 3,
      report: { counts: { matched: 60 - inDoubt, in_doubt: inDoubt } },
    });
    expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
  });
});

/** A vendor in good order: it has heard of companies whose names begin with "known", and of no other. */
function honestVendor(said = '{"code":"E7"}'): Promise<ScriptedVendor> {
  return ScriptedVendor.start(({ body }, response) => {
    const { domain } = JSON.parse(body) as { domain: string };
    response.setHeader('content-type', 'application/json');
    if (domain.startsWith('known')) response.end(JSON.stringify({ name: domain }));
    else response.writeHead(404).end(said);
  });
}

/** Unknown companies at the top of a list, more than any number that is suspected, and known ones below. */
const UNKNOWN_FIRST = [...domainsOf('unheard-of', 40), ...domainsOf('known', 5)];

describe.concurrent('an honest vendor and 40 unknown companies at the top of a list', () => {
  test('stop a run and end no row until --accept no-match, which --yes is not', async () => {
    await using vendor = await honestVendor();
    await using workplace = await Workplace.open({ concurrency: AT_ONCE });
    workplace.writeAccount(vendor.url);
    workplace.writeList(UNKNOWN_FIRST);
    const first = await workplace.runHere({ more: ['--yes'] });
    expect(first).toMatchObject({ code: 2, report: { stopped: { code: 'address' } } });
    expect(vendor.requests.length, 'what was on its way beside the twentieth').toBeLessThanOrEqual(
      20 + AT_ONCE - 1,
    );
    expect(new Set(workplace.statuses()), 'no row ends by them').toEqual(new Set(['pending']));
    const unanswered = await workplace.runHere({ more: ['--yes'] });
    expect(unanswered, 'nobody has answered').toMatchObject({ code: 2, report: { counts: {} } });
    expect(unanswered.report?.stopped?.message).toMatch(
      /^\d\d answers in a row count as no match.* status 404/,
    );

    expect(await workplace.runHere({ more: ['--accept', 'no-match'] })).toMatchObject({
      code: 0,
      report: { counts: { no_match: 40, matched: 5 } },
    });
    workplace.writeList(domainsOf('next', 30), 'next.csv');
    const next = await workplace.runHere({ input: 'next.csv', output: 'next-out.csv' });
    expect(next, 'said once, for the account').toMatchObject({
      code: 0,
      report: { counts: { no_match: 30 } },
    });
  });

  test.each([
    ['{"error":"No match"}', 0],
    ['{"detail":"Not Found"}', 2],
  ])('stop nothing where its words say so (%s), and not the words of HTTP alone', async (said, code) => {
    await using vendor = await honestVendor(said);
    await using workplace = await Workplace.open({ concurrency: AT_ONCE });
    workplace.writeAccount(vendor.url);
    workplace.writeList(UNKNOWN_FIRST);
    expect((await workplace.runHere()).code).toBe(code);
  });
});

test('nobody is gone for a service that has answered nothing but 404 yet: once its address is right, they are removed', async () => {
  let isThere = false;
  await using service = await ScriptedVendor.start((_, response) => {
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isThere ? '{"ok":true}' : '{"detail":"Not Found"}');
  });
  await using workplace = await Workplace.open({ way: 'via', concurrency: 1 });
  workplace.writeAccount(service.url);
  workplace.writeList(['u-1', 'u-2'], 'leavers.csv', 'user_id');
  const words = ['run', 'remove-user', workplace.path('leavers.csv'), '--account', 'workspace'];
  const run = async () =>
    endedOf(await workplace.typeHere([...words, '--store', workplace.path('store'), '--yes', '--json']));
  expect(await run()).toMatchObject({ code: 3, report: { counts: { refused: 2 } } });
  isThere = true;
  expect(await run()).toMatchObject({ code: 0, report: { counts: { applied: 2 } } });
  isThere = false;
  workplace.writeList(['u-3'], 'leavers.csv', 'user_id');
  expect(await run(), 'it has answered by now').toMatchObject({ report: { counts: { refused: 1 } } });
  const asked = service.requests.length;
  await run();
  expect(service.requests, 'so its 404 is about the person, and nothing is left to do').toHaveLength(asked);
});

test('what stood before the vendor and said 404 to everything is no answer: once it is gone, the same command asks for all of them again', async () => {
  await using workplace = await Workplace.open({ concurrency: AT_ONCE });
  // It speaks JSON: a page alone would be in doubt.
  const page = { status: 404, body: '{"message":"nothing here"}' };
  await using gateway = await Gateway.before(workplace.vendor.url, () => page);
  workplace.writeAccount(gateway.url);
  workplace.writeList(domainsOf('routed', 40));
  const first = await workplace.runHere({ more: ['--yes'] });
  expect(first).toMatchObject({ code: 2, report: { stopped: { code: 'address' } } });
  expect(gateway.calls).toBeLessThanOrEqual(20 + AT_ONCE - 1);
  gateway.weather = () => undefined;
  expect(await workplace.runHere()).toMatchObject({
    code: 0,
    report: { requests: 40, counts: { matched: 40 } },
  });
  expect(await brokenPromises(workplace)).toMatchObject({ rowsLost: 0, chargedTwice: 0, booksDisagree: 0 });
  expect((await workplace.vendor.book()).credits).toBe(40);
});

test('a run that is killed at the twentieth such answer leaves no row ended by them, also where the vendor is reached by then', async () => {
  await using workplace = await Workplace.open({ concurrency: 1 });
  const page = { status: 404, body: '{"message":"nothing here"}' };
  await using gateway = await Gateway.before(workplace.vendor.url, () => page);
  workplace.writeAccount(gateway.url);
  workplace.writeList(domainsOf('killed', 30));
  expect(await workplace.start({ crashAt: 'after-close:20' }).ended).toMatchObject({ signal: 'SIGKILL' });
  gateway.weather = () => undefined;
  expect(await workplace.runHere()).toMatchObject({ code: 0, report: { counts: { matched: 30 } } });
});
