/**
 * Goal: a company is asked for by its own host and a person by a page of their own, and by nothing that many share: a row with a
 * platform, a search or a link that hides its target costs nothing, and says so with its way out.
 * Method: the real command before a vendor that keeps what arrives, at an account that is not play money.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const COMPANY = { path: '/company', method: 'POST', gives: { name: 'name' }, credits: { most: 1, found: 1 } };
const PERSON = { path: '/person', method: 'POST', gives: { email: 'email' }, credits: { most: 1, found: 1 } };

async function deskOf(operations: object, list: readonly string[], job?: object): Promise<DeskBefore> {
  const at = await deskBefore(({ input }, nth) => ({
    name: `Company ${nth}`,
    email: `${nth}@a.example`,
    ...input,
  }));
  at.speak({ operations });
  await at.desk.write('list.csv', `${list.join('\n')}\n`);
  if (job !== undefined) await at.desk.write('job.yaml', JSON.stringify(job));
  return at;
}

const run = (job: string, ...more: readonly string[]): readonly string[] => [
  ...['run', job, 'list.csv', '--account', 'data', '--budget', '90', '-o', 'out.csv', '--yes', ...more],
];

const shown = ({ desk }: DeskBefore, ...columns: readonly string[]): readonly string[] =>
  desk.place.rows().map((row) => columns.map((column) => row[column] ?? '').join(' | '));

const sent = ({ asked }: DeskBefore): readonly unknown[] => asked.map(({ input }) => input);

test('a platform, a short link, a hidden target and a bare builder are not asked for, and say what they are', async () => {
  const at = await deskOf({ 'enrich-company': COMPANY }, [
    'Website',
    'https://www.crunchbase.com/organization/acme',
    'https://www.glassdoor.co.uk/Overview/Working-at-Acme-EI_IE1.htm',
    'https://bit.ly/3abc',
    'https://protect-au.mimecast.com/s/abc',
    'wixsite.com',
    'https://www.google.com/maps/place/Acme',
    'https://acme.wixsite.com/home',
    'https://seekeducation.com.au',
  ]);
  expect((await at.desk.type(run('enrich-company'))).code).toBe(3);
  expect(sent(at)).toEqual([{ domain: 'acme.wixsite.com' }, { domain: 'seekeducation.com.au' }]);
  expect(
    shown(at, '_reason')
      .slice(0, 5)
      .map((reason) => reason.replace(/^.*?: (?:website|domain) \S+: /, '')),
  ).toEqual([
    'crunchbase.com has pages of many companies; to send it, name the host under `accept_hosts` in the job',
    'glassdoor.co.uk has pages of many companies; to send it, name the host under `accept_hosts` in the job',
    'is a short link of bit.ly, which does not show the page it opens',
    'is a link of protect-au.mimecast.com, which does not show the page it opens',
    'wixsite.com is a website builder, not the website of a company; to send it, name the host under `accept_hosts` in the job',
  ]);
});

test('the maker of a tool is asked by its host, and a page at the tool says which host has pages of many', async () => {
  const at = await deskOf({ 'enrich-company': COMPANY }, [
    'Website',
    'canva.com',
    'https://www.canva.com/design/acme',
    'facebook.com',
  ]);
  expect((await at.desk.type(run('enrich-company'))).code).toBe(3);
  expect(sent(at)).toEqual([{ domain: 'canva.com' }]);
  expect(shown(at, '_reason')).toEqual([
    ...['', 'canva.com', 'facebook.com'].map((host) => {
      const way = 'has pages of many companies; to send it, name the host under `accept_hosts` in the job';
      return host && expect.stringMatching(new RegExp(`: ${host} ${way}$`));
    }),
  ]);
});

test('a redirect is asked by the address that stands in it', async () => {
  const at = await deskOf({ 'enrich-company': COMPANY }, [
    'Website',
    'https://www.google.com/url?sa=t&url=https%3A%2F%2Fvictorpumps.com.au%2Fabout',
    'https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.tangofoods.com.au%2F&data=05',
    'https://urldefense.com/v3/__https://www.acme.com.au/x__;!!abc',
    'https://urldefense.proofpoint.com/v2/url?u=https-3A__oldmill.com.au_home&d=x',
    'https://www.google.com/url?q=https%3A%2F%2Fwww.facebook.com%2Facme',
    'https://www.google.com/url?q=x',
    'https://acme.com.au/?page=https%3A%2F%2Fbeta.com.au',
  ]);
  const planned = await at.desk.type(['plan', 'enrich-company', 'list.csv', '--account', 'data']);
  expect(planned.stdout).toContain(
    'Website: 4 rows are asked by the address behind a link, such as https://victorpumps.com.au/about for https://www.google.com/url?sa=t&',
  );
  expect(planned.stdout).toMatch(/behind a link.*: row 2, 3, 4, 5$/m);
  expect((await at.desk.type(run('enrich-company'))).code).toBe(3);
  expect(sent(at)).toEqual(
    ['victorpumps.com.au', 'tangofoods.com.au', 'acme.com.au', 'oldmill.com.au'].map((domain) => ({
      domain,
    })),
  );
});

test('accept_hosts takes the platforms that it names, and makes another batch', async () => {
  const list = ['Website', 'https://www.crunchbase.com/', 'https://www.zoominfo.com/c/acme/1', 'wix.com'];
  const job = { operation: 'enrich-company', account: 'data', budget: { credits: 9 } };
  const at = await deskOf({ 'enrich-company': COMPANY }, list, job);
  expect((await at.desk.type(['run', 'job.yaml', 'list.csv'])).code).toBe(3);
  expect(sent(at)).toEqual([]);
  await at.desk.write('job.yaml', JSON.stringify({ ...job, accept_hosts: ['crunchbase.com', 'wix.com'] }));
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ to_buy: 2, invalid: 1 });
  expect((await at.desk.type(['run', 'job.yaml', 'list.csv'])).code).toBe(3);
  expect(sent(at)).toEqual([{ domain: 'crunchbase.com' }, { domain: 'wix.com' }]);
});

test('people whom a part behind # tells apart are several purchases, and a record of a CRM is none', async () => {
  const at = await deskOf({ 'enrich-person': PERSON }, [
    'LinkedIn',
    'https://app.zoominfo.com/#/apps/profile/person/123',
    'https://app.zoominfo.com/#/apps/profile/person/124/contact-profile',
    'https://app.zoominfo.com/#/apps/searchV2/v2/results/person?query=x',
    'https://crm.acme.com.au/#contact/8',
    'https://www.facebook.com/',
    'https://outlook.office.com/mail/inbox/id/AAQkabc',
    'https://duckduckgo.com/?q=anna+bell',
    'https://www.facebook.com/anna.bell/posts/1',
    'https://www.crunchbase.com/organization/acme',
    'https://www.crunchbase.com/person/anna-bell',
    'https://www.google.com/url?q=https://www.linkedin.com/in/jo-citizen',
  ]);
  expect((await at.desk.type(run('enrich-person', '--column', 'profile_url=LinkedIn'))).code).toBe(3);
  expect(sent(at)).toEqual(
    [
      'https://app.zoominfo.com/#/apps/profile/person/123',
      'https://app.zoominfo.com/#/apps/profile/person/124',
      'https://www.crunchbase.com/person/anna-bell',
      'https://www.linkedin.com/in/jo-citizen',
    ].map((profile_url) => ({ profile_url })),
  );
});

test('a dialect says of which networks it takes profiles, and another way of the row is asked instead', async () => {
  const finder = {
    ...PERSON,
    profiles: ['linkedin.com'],
    by: ['profile_url', 'first_name+last_name+domain'],
  };
  const at = await deskOf({ 'find-email': finder }, [
    'First name,Surname,Website,LinkedIn',
    'Anna,Bell,acme.example,https://x.com/annabell',
    'Mia,Tran,,https://x.com/miatran',
    'Leo,Park,,https://au.linkedin.com/in/leo-park',
  ]);
  expect((await at.desk.type(run('find-email'))).code).toBe(3);
  expect(sent(at)).toEqual([
    { first_name: 'Anna', last_name: 'Bell', domain: 'acme.example' },
    { profile_url: 'https://www.linkedin.com/in/leo-park' },
  ]);
  const [asked, left, found] = shown(at, '_reason');
  expect([asked, found]).toEqual(['', '']);
  expect(left).toContain('https://x.com/miatran: the vendor takes profiles of linkedin.com only');
});

test.each<readonly [string, string, string, string]>([
  ['of a person, in a list of companies', 'enrich-company', 'https://www.linkedin.com/in/jo-b', ''],
  [
    'of a person on another network',
    'enrich-company',
    'https://app.zoominfo.com/#/apps/profile/person/1',
    '',
  ],
  ['of a company, in a list of people', 'enrich-person', 'https://www.linkedin.com/company/acme', ''],
  ['that a CRM has of its own', 'enrich-person', 'https://acme.agilecrm.com/#contact/7', ''],
  ['that says nobody', 'enrich-person', 'https://www.linkedin.com/in/undefined', 'undefined'],
])('a row that is asked otherwise does not complain of a link %s', async (_, name, link, said) => {
  const operation = name === 'enrich-person' ? { ...PERSON, by: ['profile_url', 'email'] } : COMPANY;
  const at = await deskOf({ [name]: operation }, [
    'Name,Site,Mail,Link',
    `Jo,acme.example,jo@acme.example,${link}`,
  ]);
  const columns = name === 'enrich-person' ? ['email=Mail'] : ['website=Site'];
  const more = [...columns, 'profile_url=Link'].flatMap((each) => ['--column', each]);
  await at.desk.type([...run(name), ...more]);
  expect(shown(at, '_status')).toEqual(['matched']);
  expect(shown(at, '_reason')).toEqual([said === '' ? '' : expect.stringContaining(said)]);
});

test.each<readonly [string, readonly string[], boolean]>([
  ['records of a CRM', ['https://my.agilecrm.com/#contact/7', 'https://my.agilecrm.com/#contact/8'], false],
  ['pages by their paths', ['https://crm.example/c/7', 'crm.example/c/8', 'https://crm.example/c/9'], false],
  ['one host in two spellings', ['https://www.acme.example/', 'acme.example'], true],
  ['hosts of their own', ['https://acme.example/#top', 'https://beta.example/#top'], true],
])('a column of %s: whether its links are websites', async (_, links, isSite) => {
  const at = await deskOf({ 'enrich-company': COMPANY }, [
    'Firm,Link',
    ...links.map((link) => `Acme,${link}`),
  ]);
  const { operations } = await at.desk.json(['plan', 'list.csv']);
  const fit = operations.find(({ operation }: { operation: string }) => operation === 'enrich-company');
  expect([fit.columns.website, fit.likely.length > 0]).toEqual([isSite ? 'Link' : undefined, false]);
  const { code } = await at.desk.type(run('enrich-company'));
  expect([code, at.asked.length > 0]).toEqual([isSite ? 0 : 2, isSite]);
});

test("links of people are no company's: nothing is promised by them, and no row complains", async () => {
  const people = Array.from(
    { length: 30 },
    (_, at) => `Acme ${at},https://www.linkedin.com/in/jo-${at},a${at}.example`,
  );
  const at = await deskOf({ 'enrich-company': COMPANY }, ['Company,LinkedIn,Website', ...people]);
  const file = await at.desk.json(['plan', 'list.csv']);
  const fit = file.operations.find(({ operation }: { operation: string }) => operation === 'enrich-company');
  expect(Object.keys(fit.columns)).toEqual(['website']);
  const plan = await at.desk.json(['plan', 'enrich-company', 'list.csv', '--account', 'data']);
  expect(plan.columns).toEqual({ website: 'Website' });
  expect((await at.desk.type(run('enrich-company'))).code).toBe(0);
  expect(new Set(shown(at, '_reason'))).toEqual(new Set(['']));
});

test('a doubt stays a doubt where its row would not be asked any more', async () => {
  const finder = { ...PERSON, by: ['profile_url'] };
  const at = await deskOf({ 'find-email': finder }, ['LinkedIn', 'https://x.com/annabell']);
  const answer = at.answer;
  at.answer = () => new Response('{}', { status: 500 });
  expect((await at.desk.type(run('find-email', '--column', 'profile_url=LinkedIn'))).code).toBe(3);
  expect(shown(at, '_status')).toEqual(['in_doubt']);
  at.answer = answer;
  at.speak({ operations: { 'find-email': { ...finder, profiles: ['linkedin.com'] } } });
  const { code, stderr } = await at.desk.type(run('find-email', '--column', 'profile_url=LinkedIn'));
  expect([code, stderr]).toEqual([3, expect.not.stringContaining('bug')]);
  expect(shown(at, '_status')).toEqual(['in_doubt']);
  expect(at.asked).toHaveLength(1);
});
