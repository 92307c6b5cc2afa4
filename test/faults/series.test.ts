import { describe, expect, test } from 'vitest';
import { endedOf } from './program.ts';
import { type ScriptedRequest, ScriptedVendor } from './scripted-vendor.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: what answers say of the account, or of a vendor that is misread, is never held against rows: so many of one shape in a row
 * stop the run, no row ends by them, and only the word that the stop names goes on with them (protocol, rule 9).
 * Method: the real command before a vendor that answers as the test says, and counts what it was asked.
 */

const AT_ONCE = 3;

/** Of a series, and of what was on its way beside the last of it. */
const MOST_ASKED = 5 + AT_ONCE - 1;

interface Said {
  readonly status: number;
  readonly body: object;
}

const domainIn = ({ body }: ScriptedRequest): string => (JSON.parse(body) as { domain: string }).domain;

const matched = (domain: string): Said => ({ status: 200, body: { name: `The people of ${domain}` } });

/** A vendor whose answers may be exchanged, and a list of so many companies that it is asked about. */
async function open(say: (domain: string) => Said, rows = 60, concurrency = AT_ONCE) {
  const told = { say };
  const vendor = await ScriptedVendor.start((request, response) => {
    const { status, body } = told.say(domainIn(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const workplace = await Workplace.open({ concurrency });
  workplace.writeAccount(vendor.url);
  const domains = domainsOf('row', rows);
  workplace.writeList(domains);
  return {
    ...{ vendor, workplace, told, domains },
    run: (...more: readonly string[]) => workplace.runHere({ more }),
    other: (name: string, ...more: readonly string[]) =>
      workplace.runHere({ input: name, output: `out-${name}`, more }),
    asked: () => vendor.requests.map(domainIn),
    async [Symbol.asyncDispose]() {
      await workplace[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

const BAD_KEY: Said = { status: 400, body: { message: 'Bad credentials' } };
const NO_CREDITS: Said = { status: 400, body: { error_code: 'INSUFFICIENT_CREDITS', request_id: 'r-1' } };
/** Words of which nobody can tell what they are about. */
const SUSPENDED: Said = { status: 400, body: { message: 'This workspace is suspended' } };
const NO_PLAN: Said = { status: 400, body: { error: 'Enrichment is not enabled for you' } };
const SAME: Said = { status: 200, body: { name: 'Demo Pty Ltd', employee_count: 12 } };

describe.concurrent('refusals that say the same of every row', () => {
  test.each([
    ['a key', BAD_KEY, 77],
    ['credits', NO_CREDITS, 4],
  ])('about %s stop the run by their words, also after matches', async (_, said, code) => {
    const answered = new Set<string>();
    await using at = await open((domain) => {
      if (answered.size < 20) answered.add(domain);
      return answered.has(domain) ? matched(domain) : said;
    });
    expect(await at.run()).toMatchObject({ code, report: { counts: { matched: 20 } } });
    at.told.say = matched;
    expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 60 }, requests: 40 } });
  });

  test.each([
    ['an account', SUSPENDED],
    ['a plan', NO_PLAN],
  ])(
    'about %s stop the run and end no row; once that is mended the same command asks again',
    async (_, said) => {
      await using at = await open(() => said);
      const first = await at.run('--yes');
      expect(first).toMatchObject({
        code: 2,
        report: {
          counts: {},
          credits: { spent: 0 },
          stopped: {
            code: 'address',
            answers: ['refused'],
            next: expect.stringContaining('--accept refused'),
          },
        },
      });
      const words = Object.values(said.body)[0] as string;
      expect(first.report?.stopped?.message, 'quotes them').toMatch(new RegExp(`status 400, .*${words}`));
      expect(at.vendor.requests.length).toBeLessThanOrEqual(MOST_ASKED);

      expect(new Set(at.workplace.statuses())).toEqual(new Set(['pending']));
      const second = await at.run('--yes');
      expect(second, '--yes answers no stop').toMatchObject({ code: 2, report: { counts: {} } });

      at.told.say = matched;
      at.workplace.writeList(at.domains.slice(0, 10), 'another.csv');
      expect(await at.other('another.csv'), 'another list asks as well').toMatchObject({
        code: 0,
        report: { counts: { matched: 10 } },
      });
      const { report } = await at.run();
      expect(report?.counts.refused, 'what was on its way then is in doubt').toBeUndefined();
    },
  );

  test('leave a list that is bought anew with the answers that it had: it goes on once the vendor is well', async () => {
    await using at = await open(matched, 30);
    expect(await at.run()).toMatchObject({ code: 0 });
    at.told.say = () => SUSPENDED;
    const stopped = await at.run('--refresh');
    expect(stopped).toMatchObject({ code: 2, report: { counts: {}, stopped: { answers: ['refused'] } } });
    expect(new Set(at.workplace.statuses())).toEqual(new Set(['pending']));
    at.told.say = matched;
    const asked = at.vendor.requests.length;
    expect(await at.run('--refresh')).toMatchObject({ code: 0, report: { counts: { matched: 30 } } });
    expect(at.asked().slice(asked).toSorted(), 'each anew, once').toEqual(at.domains.toSorted());
  });

  test('which quote what the row has are about the row, and stop nothing', async () => {
    await using at = await open((domain) => ({ status: 400, body: { message: `${domain} is no domain` } }));
    expect(await at.run()).toMatchObject({ code: 3, report: { counts: { refused: 60 }, stopped: null } });
  });

  test.each([AT_ONCE, 64])('stop the run also after matches (%i at once), ten in a row', async (atOnce) => {
    const good = new Set(domainsOf('row', 20));
    await using at = await open((domain) => (good.has(domain) ? matched(domain) : SUSPENDED), 300, atOnce);
    expect(await at.run('--yes')).toMatchObject({
      code: 2,
      report: { counts: { matched: 20 }, stopped: { answers: ['refused'] } },
    });
    expect(at.vendor.requests.length).toBeLessThan(20 + 10 + 2 * atOnce);
    at.told.say = matched;
    expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 300 } } });
  });

  test('stop the nights of a small list as well, whose rows are asked again on the next night', async () => {
    await using at = await open(() => SUSPENDED, 4);
    expect(await at.run()).toMatchObject({ code: 3, report: { counts: { refused: 4 } } });
    at.workplace.writeList(domainsOf('next', 4), 'next.csv');
    expect(await at.other('next.csv')).toMatchObject({ code: 2, report: { counts: {} } });
    at.told.say = matched;
    for (const run of [at.run, () => at.other('next.csv')])
      expect(await run()).toMatchObject({ code: 0, report: { counts: { matched: 4 } } });
  });

  test.each([26, 30])(
    'are counted on after a kill (at answer %i): none of their rows stays ended',
    async (killed) => {
      const good = new Set(domainsOf('row', 20));
      await using at = await open((domain) => (good.has(domain) ? matched(domain) : SUSPENDED), 60, 1);
      const crashAt = `after-close:${killed}`;
      expect(await at.workplace.start({ crashAt }).ended).toMatchObject({ signal: 'SIGKILL' });
      expect(await at.run()).toMatchObject({ code: 2, report: { counts: { matched: 20 } } });
      at.told.say = matched;
      const { report } = await at.run();
      expect(report?.counts.refused, 'what was on its way then is in doubt').toBeUndefined();
    },
  );

  test('are kept with --accept refused, for the account and that shape alone', async () => {
    await using at = await open(() => SUSPENDED);
    expect((await at.run('--accept', 'refused')).code, 'nothing was shown that could be accepted').toBe(2);
    expect(await at.run('--accept', 'refused')).toMatchObject({
      code: 3,
      report: { counts: { refused: 60 } },
    });
    at.workplace.writeList(domainsOf('next', 30), 'next.csv');
    expect(await at.other('next.csv')).toMatchObject({ code: 3, report: { counts: { refused: 30 } } });
    at.told.say = () => NO_PLAN;
    at.workplace.writeList(domainsOf('third', 30), 'third.csv');
    expect(await at.other('third.csv')).toMatchObject({ code: 2, report: { counts: {} } });
  });

  test('of changes stop as well: the next plan asks for each of them again', async () => {
    let isMended = false;
    await using service = await ScriptedVendor.start((_, response) => {
      response.writeHead(isMended ? 200 : 400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isMended ? { invite_code: `c-${service.requests.length}` } : SUSPENDED.body),
      );
    });
    await using workplace = await Workplace.open({ way: 'via', concurrency: 1 });
    workplace.writeAccount(service.url);
    workplace.writePeople(domainsOf('who', 12).map((domain) => `jo@${domain}`));
    const words = ['run', 'invite-user', workplace.path('list.csv'), '--account', 'workspace', '--yes'];
    const more = ['--role', 'viewer', '--store', workplace.path('store'), '--json'];
    const run = async () => endedOf(await workplace.typeHere([...words, ...more]));
    expect(await run()).toMatchObject({
      code: 2,
      report: { counts: {}, stopped: { answers: ['refused'] } },
    });
    expect(service.requests).toHaveLength(5);
    isMended = true;
    expect(await run()).toMatchObject({ code: 0, report: { counts: { applied: 12 } } });
    expect(service.requests).toHaveLength(17);
  });
});

describe.concurrent('matches that show the same facts for different questions', () => {
  test('stop the run and end no row; what they cost is booked, and nothing of it is bought twice', async () => {
    await using at = await open(() => SAME);
    const first = await at.run('--yes');
    expect(first).toMatchObject({
      code: 2,
      report: { counts: {}, stopped: { code: 'address', answers: ['same-answers'] } },
    });
    expect(first.report?.stopped?.message).toContain('Demo Pty Ltd');
    const asked = at.vendor.requests.length;
    expect(asked).toBeLessThanOrEqual(MOST_ASKED);
    expect(first.report?.credits.spent).toBe(asked);
    expect(await at.run('--yes'), 'nothing more is bought, and no row ends').toMatchObject({
      code: 2,
      report: { requests: 0, counts: {} },
    });
    expect(at.vendor.requests).toHaveLength(asked);
    expect(await at.run('--accept', 'same-answers')).toMatchObject({
      code: 0,
      report: { counts: { matched: 60 }, credits: { spent: 60 } },
    });
    expect(at.asked().toSorted(), 'each was asked once').toEqual(at.domains.toSorted());
    at.workplace.writeList(domainsOf('next', 30), 'next.csv');
    expect(await at.other('next.csv')).toMatchObject({ code: 0, report: { counts: { matched: 30 } } });
  });

  test('are none where what differs is the facts, and not what repeats the question', async () => {
    const echo = (domain: string): Said => ({ status: 200, body: { ...SAME.body, domain } });
    await using at = await open(echo);
    expect((await at.run()).code).toBe(2);
    await using other = await open((domain) => ({ status: 200, body: { name: domain, employee_count: 12 } }));
    expect(await other.run()).toMatchObject({ code: 0, report: { counts: { matched: 60 } } });
  });
});

test.each([AT_ONCE, 64])(
  'matches that fill nothing but what was asked stop the run at ten in a row (%i at once), and what was paid is not bought again',
  async (atOnce) => {
    const good = new Set(domainsOf('row', 20));
    const empty = (domain: string): Said => ({
      status: 200,
      body: { query: { domain }, matchCandidates: [] },
    });
    await using at = await open(
      (domain) => (good.has(domain) ? matched(domain) : empty(domain)),
      200,
      atOnce,
    );
    at.workplace.writeDialect({ vendor: 'provider', answers: [{ status: [200], means: 'found' }] });
    at.workplace.writeAccount(at.vendor.url, { dialect: 'dialect.yaml' });
    const first = await at.run('--yes');
    expect(first).toMatchObject({
      code: 2,
      report: { counts: { matched: 20 }, stopped: { answers: ['same-answers'] } },
    });
    const asked = at.vendor.requests.length;
    expect(asked).toBeLessThan(20 + 10 + 2 * atOnce);
    expect(first.report?.credits.spent).toBe(asked);
    expect(await at.run('--yes')).toMatchObject({ code: 2, report: { requests: 0 } });
    expect(await at.run('--accept', 'same-answers')).toMatchObject({
      code: 0,
      report: { counts: { matched: 200 } },
    });
    expect(at.asked().toSorted(), 'each was asked once').toEqual(at.domains.toSorted());
  },
);

describe.concurrent('what is a normal list stops nothing', () => {
  const isTenth = (domain: string): boolean => /0\./.test(domain);

  test.each([
    ['not found', { error: 'not found' }],
    ['no word', { code: 7 }],
  ])(
    '1,000 rows of which a tenth matches and 404 says %s, 64 at once and on later nights',
    async (_, body) => {
      const say = (domain: string): Said => (isTenth(domain) ? matched(domain) : { status: 404, body });
      await using at = await open(say, 1_000, 64);
      expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 100, no_match: 900 } } });
      for (const night of ['one', 'two']) {
        at.workplace.writeList(
          domainsOf(`${night}-1`, 90).filter((domain) => !isTenth(domain)),
          `${night}.csv`,
        );
        expect(await at.other(`${night}.csv`)).toMatchObject({ code: 0, report: { stopped: null } });
      }
    },
  );

  test.each([AT_ONCE, 64])(
    'a verifier that says "valid" to all, once that is accepted (%i at once)',
    async (atOnce) => {
      await using at = await open(() => ({ status: 200, body: { result: 'valid' } }), 200, atOnce);
      at.workplace.writeDialect({ vendor: 'provider', answers: [{ status: [200], means: 'found' }] });
      at.workplace.writeAccount(at.vendor.url, { dialect: 'dialect.yaml' });
      expect((await at.run()).code).toBe(2);
      expect(await at.run('--accept', 'same-answers')).toMatchObject({
        code: 0,
        report: { counts: { matched: 200 } },
      });
      at.workplace.writeList(domainsOf('night', 60), 'night.csv');
      expect(await at.other('night.csv')).toMatchObject({ code: 0, report: { counts: { matched: 60 } } });
    },
  );

  test.each([AT_ONCE, 64])('30 bad addresses in a row, each quoted (%i at once)', async (atOnce) => {
    const bad = new Set(domainsOf('row', 60).slice(20, 50));
    const say = (domain: string): Said =>
      bad.has(domain) ? { status: 422, body: { error: `${domain} is no domain` } } : matched(domain);
    await using at = await open(say, 60, atOnce);
    expect(await at.run()).toMatchObject({
      code: 3,
      report: { counts: { matched: 30, refused: 30 }, stopped: null },
    });
  });
});

test('misses that nothing says stop the run at twenty in a row after matches, and those that a word says never do', async () => {
  const good = new Set(domainsOf('row', 20));
  const say =
    (body: object) =>
    (domain: string): Said =>
      good.has(domain) ? matched(domain) : { status: 404, body };
  await using at = await open(say({ code: 'E7' }));
  expect(await at.run('--yes')).toMatchObject({
    code: 2,
    report: { counts: { matched: 20 }, stopped: { answers: ['no-match'] } },
  });
  expect(at.vendor.requests.length).toBeLessThan(20 + 20 + AT_ONCE);
  at.told.say = say({ error: 'No records' });
  expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 20, no_match: 40 } } });
  at.told.say = () => ({ status: 404, body: { code: 'E7' } });
  at.workplace.writeList(domainsOf('next', 60), 'next.csv');
  expect((await at.other('next.csv')).code).toBe(2);
  expect(await at.other('next.csv', '--accept', 'no-match')).toMatchObject({
    report: { counts: { no_match: 60 } },
  });
});
