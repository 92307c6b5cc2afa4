import { describe, expect, test } from 'vitest';
import { endedOf } from './program.ts';
import { type ScriptedRequest, ScriptedVendor } from './scripted-vendor.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: what answers say of the account, of a vendor that is misread, or of what stands before it, is never held against rows: so many
 * of one shape in a row stop the run, no row ends by them, and only the word that the stop names goes on with them (protocol, rule 9).
 * Method: the real command before a vendor that answers as the test says, and counts what it was asked.
 */

const AT_ONCE = 3;

/** Of a series, and of what was on its way beside the last of it. */
const MOST_ASKED = 5 + AT_ONCE - 1;

/** A text is a page, and no JSON. */
interface Said {
  readonly status: number;
  readonly body: object | string;
}

const domainIn = ({ body }: ScriptedRequest): string => (JSON.parse(body) as { domain: string }).domain;

const matched = (domain: string): Said => ({ status: 200, body: { name: `The people of ${domain}` } });

/** The first twenty companies of a list match. */
const afterMatches =
  (say: (domain: string) => Said) =>
  (domain: string): Said =>
    MATCHES.has(domain) ? matched(domain) : say(domain);
const MATCHES = new Set(domainsOf('row', 20));

/** A vendor whose answers may be exchanged, and a list of so many companies that it is asked about. */
async function open(say: (domain: string) => Said, rows = 60, concurrency = AT_ONCE) {
  const told = { say };
  const vendor = await ScriptedVendor.start((request, response) => {
    const { status, body } = told.say(domainIn(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const workplace = await Workplace.open({ concurrency });
  workplace.writeAccount(vendor.url);
  const domains = domainsOf('row', rows);
  workplace.writeList(domains);
  return {
    vendor,
    workplace,
    told,
    domains,
    run: (...more: readonly string[]) => workplace.runHere({ more }),
    /** Another list of so many companies. */
    other: (name: string, count: number, ...more: readonly string[]) => {
      workplace.writeList(domainsOf(name, count), `${name}.csv`);
      return workplace.runHere({ input: `${name}.csv`, output: `${name}-out.csv`, more });
    },
    asked: () => vendor.requests.map(domainIn).toSorted(),
    async [Symbol.asyncDispose]() {
      await workplace[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/** A run that stopped, and ended no row but those that matched before. */
const stopped = (answers: string, matches = 0) => ({
  code: 2,
  report: {
    counts: matches === 0 ? {} : { matched: matches },
    stopped: { code: 'answers_alike', answers: [answers] },
  },
});

const BAD_KEY: Said = { status: 400, body: { message: 'Bad credentials' } };
const NO_CREDITS: Said = { status: 400, body: { error_code: 'INSUFFICIENT_CREDITS', request_id: 'r-1' } };
/** Words of which cannot be told what they are about. */
const SUSPENDED: Said = { status: 400, body: { message: 'This workspace is suspended' } };
const NO_PLAN: Said = { status: 400, body: { error: 'Enrichment is not enabled for you' } };
const SAME: Said = { status: 200, body: { name: 'Demo Pty Ltd', employee_count: 12 } };
const CODE_ALONE: Said = { status: 404, body: { code: 'E7' } };

describe.concurrent('refusals that say the same of every row', () => {
  test.each([
    ['a key', BAD_KEY, 77],
    ['credits', NO_CREDITS, 4],
  ])('refusals about %s stop the run by their words, also after matches', async (_, said, code) => {
    await using at = await open(afterMatches(() => said));
    expect(await at.run()).toMatchObject({ code, report: { counts: { matched: 20 } } });
    at.told.say = matched;
    expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 60 }, requests: 40 } });
  });

  test('refusals of one shape stop the run and end no row; once what they speak of is mended the same command asks again', async () => {
    await using at = await open(() => SUSPENDED);
    const first = await at.run('--yes');
    expect(first).toMatchObject(stopped('refused'));
    expect(first.report?.stopped?.next).toContain('--accept refused');
    expect(first.report?.stopped?.message, 'quotes them').toMatch(
      /status 400, .*This workspace is suspended/,
    );
    expect(at.vendor.requests.length).toBeLessThanOrEqual(MOST_ASKED);
    expect(new Set(at.workplace.statuses())).toEqual(new Set(['pending']));
    expect(await at.run('--yes'), '--yes answers no stop').toMatchObject(stopped('refused'));
    at.told.say = matched;
    expect(await at.other('another', 10), 'another list asks as well').toMatchObject({ code: 0 });
    const { report } = await at.run();
    expect(report?.counts.refused, 'what was on its way then is in doubt').toBeUndefined();
  });

  test('refusals which quote what the row has are about the row, and stop nothing', async () => {
    await using at = await open((domain) => ({ status: 400, body: { message: `${domain} is no domain` } }));
    expect(await at.run()).toMatchObject({ code: 3, report: { counts: { refused: 60 }, stopped: null } });
  });

  test.each([AT_ONCE, 64])(
    'refusals of one shape stop the run also after matches (%i at once), ten in a row',
    async (atOnce) => {
      await using at = await open(
        afterMatches(() => SUSPENDED),
        300,
        atOnce,
      );
      expect(await at.run('--yes')).toMatchObject(stopped('refused', 20));
      expect(at.vendor.requests.length).toBeLessThan(20 + 10 + 2 * atOnce);
      at.told.say = matched;
      expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 300 } } });
    },
  );

  test('refusals of one shape stop the nights of a small list as well, whose rows are asked again on the next night', async () => {
    await using at = await open(() => SUSPENDED, 4);
    expect(await at.run()).toMatchObject({ code: 3, report: { counts: { refused: 4 } } });
    expect(await at.other('next', 4)).toMatchObject(stopped('refused'));
    at.told.say = matched;
    for (const run of [at.run, () => at.other('next', 4)])
      expect(await run()).toMatchObject({ code: 0, report: { counts: { matched: 4 } } });
  });

  test('refusals of one shape are kept with --accept refused, for the account and that shape alone', async () => {
    await using at = await open(() => SUSPENDED);
    expect((await at.run('--accept', 'refused')).code, 'nothing was shown that could be accepted').toBe(2);
    expect(await at.run('--accept', 'refused')).toMatchObject({
      code: 3,
      report: { counts: { refused: 60 } },
    });
    expect(await at.other('next', 30)).toMatchObject({ code: 3, report: { counts: { refused: 30 } } });
    at.told.say = () => NO_PLAN;
    expect(await at.other('third', 30)).toMatchObject(stopped('refused'));
  });

  test('refusals of changes stop as well: the next plan asks for each of them again', async () => {
    let isMended = false;
    await using service = await ScriptedVendor.start((_, response) => {
      response.writeHead(isMended ? 200 : 400, { 'content-type': 'application/json' });
      const invite = { invite_code: `c-${service.requests.length}` };
      response.end(JSON.stringify(isMended ? invite : SUSPENDED.body));
    });
    await using workplace = await Workplace.open({ way: 'via', concurrency: 1 });
    workplace.writeAccount(service.url);
    workplace.writePeople(domainsOf('who', 12).map((domain) => `jo@${domain}`));
    const run = runOfService(workplace, 'invite-user', '--role', 'viewer');
    expect(await run()).toMatchObject(stopped('refused'));
    expect(service.requests).toHaveLength(5);
    isMended = true;
    expect(await run()).toMatchObject({ code: 0, report: { counts: { applied: 12 } } });
    expect(service.requests).toHaveLength(17);
  });
});

describe.concurrent('matches that show the same facts for different rows', () => {
  test('matches of the same facts stop the run and end no row; what they cost is booked, and nothing of it is bought twice', async () => {
    await using at = await open(() => SAME);
    const first = await at.run('--yes');
    expect(first).toMatchObject(stopped('same-answers'));
    expect(first.report?.stopped?.message).toContain('Demo Pty Ltd');
    const asked = at.vendor.requests.length;
    expect(asked).toBeLessThanOrEqual(MOST_ASKED);
    expect(first.report?.credits.spent).toBe(asked);
    expect(await at.run('--yes'), 'and no row ends').toMatchObject(stopped('same-answers'));
    at.workplace.writeList(at.asked(), 'known.csv');
    const known = await at.workplace.runHere({ input: 'known.csv', output: 'known-out.csv' });
    expect(known, 'nor one of a list that is known wholly').toMatchObject(stopped('same-answers'));
    expect(known.report?.stopped?.message).toContain('earlier matches of this account in a row show');
    expect(at.vendor.requests, 'nothing more is bought').toHaveLength(asked);
    expect(await at.run('--accept', 'same-answers')).toMatchObject({
      code: 0,
      report: { counts: { matched: 60 }, credits: { spent: 60 } },
    });
    expect(at.asked(), 'each was asked once').toEqual(at.domains.toSorted());
    expect(await at.other('next', 30)).toMatchObject({ code: 0, report: { counts: { matched: 30 } } });
  });

  test('matches that fill nothing but what was asked stop it at ten in a row, and are not bought again', async () => {
    const empty = (domain: string): Said => ({
      status: 200,
      body: { query: { domain }, matchCandidates: [] },
    });
    await using at = await open(afterMatches(empty), 200, 64);
    at.workplace.writeDialect({ vendor: 'provider', answers: [{ status: [200], means: 'found' }] });
    at.workplace.writeAccount(at.vendor.url, { dialect: 'dialect.yaml' });
    const first = await at.run('--yes');
    expect(first).toMatchObject(stopped('same-answers', 20));
    const asked = at.vendor.requests.length;
    expect(asked).toBeLessThan(20 + 10 + 2 * 64);
    expect(first.report?.credits.spent).toBe(asked);
    expect(await at.run('--accept', 'same-answers')).toMatchObject({
      code: 0,
      report: { counts: { matched: 200 } },
    });
    expect(at.asked(), 'each was asked once').toEqual(at.domains.toSorted());
  });
});

describe.concurrent('misses that no word says', () => {
  test.each([
    ['that no word says stop a list that begins with them at twenty', { code: 17 }, 20],
    ["with a framework's words alone stop such a list at five", { detail: 'Not Found' }, 5],
  ])('404s %s, and end its rows once that is accepted, for the account', async (_, body, most) => {
    await using at = await open(() => ({ status: 404, body }));
    expect(await at.run('--yes')).toMatchObject(stopped('no-match'));
    expect(at.vendor.requests.length).toBeGreaterThanOrEqual(most);
    expect(at.vendor.requests.length).toBeLessThanOrEqual(most + AT_ONCE - 1);
    expect(new Set(at.workplace.statuses())).toEqual(new Set(['pending']));
    const unanswered = await at.run('--yes');
    expect(unanswered, 'nobody has answered').toMatchObject(stopped('no-match'));
    expect(unanswered.report?.stopped?.message).toMatch(/^\d+ answers in a row .* status 404/);
    expect(await at.run('--accept', 'no-match')).toMatchObject({
      code: 0,
      report: { counts: { no_match: 60 } },
    });
    expect(await at.other('next', 30)).toMatchObject({ code: 0, report: { counts: { no_match: 30 } } });
  });

  test('misses that no word says stop a list at twenty in a row after matches, and those that a word says never do', async () => {
    await using at = await open(afterMatches(() => CODE_ALONE));
    expect(await at.run('--yes')).toMatchObject(stopped('no-match', 20));
    expect(at.vendor.requests.length).toBeLessThan(20 + 20 + AT_ONCE);
    at.told.say = afterMatches(() => ({ status: 404, body: { error: 'No records' } }));
    expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 20, no_match: 40 } } });
  });

  test('misses that no word says stop no list of 1,000 of which a tenth matches, 64 at once, and none of a later night', async () => {
    const isTenth = (domain: string): boolean => /0\./.test(domain);
    await using at = await open((domain) => (isTenth(domain) ? matched(domain) : CODE_ALONE), 1_000, 64);
    expect(await at.run()).toMatchObject({ code: 0, report: { counts: { matched: 100, no_match: 900 } } });
    at.told.say = () => CODE_ALONE;
    expect(await at.other('night', 90)).toMatchObject({ code: 0, report: { stopped: null } });
  });
});

test.each([404, 400])(
  "a page with status %i in the vendor's place ends no row: its calls are in doubt",
  async (status) => {
    await using at = await open(
      afterMatches(() => ({ status, body: '<html>nginx</html>' })),
      60,
      1,
    );
    // Shorter than any pause.
    const first = await at.run('--max-pause', '29s');
    expect(first).toMatchObject({ code: 75, report: { counts: { matched: 20, in_doubt: 5 } } });
    expect(first.stderr, 'what would make the page an answer').toContain(
      `\`- { status: [${status}], body: { is: unreadable }, means: no_match }\``,
    );
    at.told.say = matched;
    expect(await at.run()).toMatchObject({ code: 3, report: { counts: { matched: 55, in_doubt: 5 } } });
  },
);

test('nobody is gone for a service that has answered nothing but 404 yet: once its address is right, they are removed', async () => {
  let isThere = false;
  await using service = await ScriptedVendor.start((_, response) => {
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isThere ? '{"ok":true}' : '{"detail":"Not Found"}');
  });
  await using workplace = await Workplace.open({ way: 'via', concurrency: 1 });
  workplace.writeAccount(service.url);
  workplace.writeList(['u-1', 'u-2'], 'list.csv', 'user_id');
  const run = runOfService(workplace, 'remove-user');
  expect(await run()).toMatchObject({ code: 3, report: { counts: { refused: 2 } } });
  isThere = true;
  expect(await run()).toMatchObject({ code: 0, report: { counts: { applied: 2 } } });
  isThere = false;
  workplace.writeList(['u-3'], 'list.csv', 'user_id');
  expect(await run(), 'it has answered by now').toMatchObject({ report: { counts: { refused: 1 } } });
  const asked = service.requests.length;
  await run();
  expect(service.requests, 'so its 404 is about the person, and nothing is left to do').toHaveLength(asked);
});

function runOfService(place: Workplace, job: string, ...more: readonly string[]) {
  const words = ['run', job, place.path('list.csv'), '--account', 'workspace', '--yes', '--json', ...more];
  return async () => endedOf(await place.typeHere([...words, '--store', place.path('store')]));
}
