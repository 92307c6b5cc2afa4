/**
 * Goal: every host of the lists counts with its subdomains and below its path alone, and hosts that only look like one do not.
 * Method: the lists themselves, and a table of neighbours.
 */
import { expect, test } from 'vitest';
import { problemWords } from '../../src/core/cell-problems.ts';
import { entriesOf } from '../../src/values/host-table.ts';
import { companyProfile, pageAddress, personProfile, profileUrl } from '../../src/values/profile.ts';
import { BUILDERS } from '../../src/values/seen-hosts/builders.ts';
import { MAIL_PROGRAMS } from '../../src/values/seen-hosts/mail-programs.ts';
import { MAILBOXES } from '../../src/values/seen-hosts/mailboxes.ts';
import { OWN_BELOW, PLATFORMS, TOOLS } from '../../src/values/seen-hosts/platforms.ts';
import { HIDDEN_TARGETS } from '../../src/values/seen-hosts/redirects.ts';
import { SEARCHES } from '../../src/values/seen-hosts/searches.ts';
import { SHORTENERS } from '../../src/values/seen-hosts/shorteners.ts';
import { domain, website } from '../../src/values/website.ts';

const asWritten = (data: string): readonly string[] =>
  entriesOf(data).map(({ host, path }) => host.replace('*', 'com.au') + path);

test.each([
  ['mailboxes', MAILBOXES],
  ['platforms', PLATFORMS],
  ['searches', SEARCHES],
  ['short links', SHORTENERS],
  ['hidden targets', HIDDEN_TARGETS],
])('no company is asked for by a host of %s, a page or a subdomain of it', (_, data) => {
  const hosts = asWritten(data);
  const cells = hosts.flatMap((host) => [
    `https://${host}`,
    `http://x.${host}/acme?id=1`,
    `WWW.${host.toUpperCase()}`,
  ]);
  const paths = /\//;
  const taken = cells.filter((cell, at) => {
    const isPath = paths.test(hosts[Math.floor(at / 3)] ?? '');
    // A path is told by its letters.
    return (
      !(isPath && at % 3 === 2) &&
      (domain.read(cell).kind === 'usable' || website.read(cell).kind === 'usable')
    );
  });
  expect(taken).toEqual([]);
});

test('the host of a tool alone is its maker, and a page or a subdomain of it is no company', () => {
  for (const host of asWritten(TOOLS)) {
    const maker = { kind: 'usable', value: host };
    expect(['', 'https://www.', 'https://'].map((before) => domain.read(before + host))).toEqual(
      Array(3).fill(maker),
    );
    const cells = [`https://${host}/acme`, `acme.${host}`, `https://www.${host}/acme?id=1`];
    expect([host, ...cells.map((cell) => domain.read(cell).kind)]).toEqual([
      ...[host, 'unusable', 'unusable', 'unusable'],
    ]);
  }
});

test('a builder is no company, and what stands before it is one', () => {
  for (const host of [
    ...asWritten(BUILDERS),
    ...asWritten(OWN_BELOW),
    'wixsite.com',
    'github.io',
    'myshopify.com',
    'netlify.app',
  ]) {
    expect([host, domain.read(`https://www.${host}/`).kind]).toEqual([host, 'unusable']);
    expect(domain.read(`https://acme.${host}/about`)).toEqual({ kind: 'usable', value: `acme.${host}` });
  }
});

test.each(asWritten(MAIL_PROGRAMS))('a message of a mail program is nobody: %s', (host) => {
  expect(personProfile.read(`https://${host}/inbox/1`)).toMatchObject({ code: 'webmail_page' });
});

test.each([
  'seekeducation.com.au',
  'archivesolutions.com.au',
  'googleyeyes.com.au',
  'notlinkedin.com',
  'glassdoors.com.au',
  'my-ebay.com',
  'amazon.acme.com.au',
  'bing.com.au-tools.com',
  'google.com',
  'apple.com',
  'www.microsoft.com/en-au',
  'bing.com/maps-of-acme',
  'telstra.com',
  'zoho.com',
  'acnc.gov.au',
  'acme.co.za',
  'acme.com.kh',
  'www.vic.gov.au',
  'service.gov.uk',
  'shopify.com',
  'archive.org',
  'canva.com',
])("%s is a company's own", (cell) => {
  expect(domain.read(cell).kind).toBe('usable');
});

test('an address at a platform is of those who work there, and one of a mailbox is of anybody', () => {
  expect(domain.read('anna@seek.com.au')).toEqual({ kind: 'usable', value: 'seek.com.au' });
  expect(domain.read('anna@yahoo.fr')).toMatchObject({ code: 'mailbox_host' });
  expect(domain.read('anna@substack.com')).toEqual({ kind: 'usable', value: 'substack.com' });
  expect(domain.read('anna@wixsite.com')).toMatchObject({ code: 'website_builder' });
});

test.each([
  ['https://www.google.com/url?q=https://duckduckgo.com/l/?uddg=https%3A%2F%2Facme.com.au', 'acme.com.au'],
  ['https://l.facebook.com/l.php?u=http%3A%2F%2Facme.com.au%2F&h=x', 'acme.com.au'],
  ['https://www.linkedin.com/redir/redirect?url=https%3A%2F%2Facme%2Ecom%2Eau', 'acme.com.au'],
  ['https://www.youtube.com/redirect?q=https%3A%2F%2Facme.com.au', 'acme.com.au'],
  ['https://acme.com.au/url?q=https://other.com.au', 'acme.com.au'],
])('a redirect leads to its target: %s', (cell, value) => {
  expect(domain.read(cell)).toEqual({ kind: 'usable', value });
});

test.each([
  'https://www.google.com/url?q=acme',
  'https://l.facebook.com/l.php?h=x',
  'https://www.google.com/url?q=https://www.google.com/url?q=https://10.0.0.1/',
])('a redirect without a target in it is unusable: %s', (cell) => {
  expect(domain.read(cell).kind).toBe('unusable');
});

test.each([
  ['https://www.crunchbase.com/person/anna', 'person'],
  ['https://www.crunchbase.com/organization/acme', 'company'],
  ['https://www.xing.com/profile/Anna_Bell', 'person'],
  ['https://www.zoominfo.com/c/acme/123', 'company'],
  ['https://www.zoominfo.com/p/Anna-Bell/123', 'person'],
  ['https://app.zoominfo.com/#/apps/profile/company/123', 'company'],
  ['https://app.apollo.io/#/contacts/5f9e8d7c6b5a4f3e2d1c0b9a', 'person'],
  ['https://x.com/acme', 'either'],
  ['https://github.com/acme', 'either'],
  ['https://www.facebook.com/profile.php?id=1', 'either'],
  ['https://www.facebook.com/profile.php', 'nobody'],
  ['https://scholar.google.com/citations?view_op=top_venues', 'nobody'],
  ['https://www.linkedin.com/sales/lead/ACwAAB1,NAME_SEARCH,x', 'person'],
  ['https://www.linkedin.com/sales/company/123', 'company'],
  ['https://www.linkedin.com/pub/dir/anna/bell', 'nobody'],
  ['https://www.linkedin.con/in/anna', 'nobody'],
  ['https://www.instagram.com/p/abc', 'nobody'],
  ['https://x.com/anna/status/1', 'nobody'],
  ['https://www.facebook.com/search/people/?q=anna', 'nobody'],
  ['https://www.google.com.au/search?q=anna', 'nobody'],
  ['https://www.bing.com/?q=anna', 'nobody'],
  ['https://app.apollo.io/#/people?finderViewId=5f9e8d7c6b5a4f3e2d1c0b9a', 'nobody'],
  ['https://crm.acme.com.au/#contact/7', 'nobody'],
  ['https://www.linkedin.com/posts/anna_x-activity-1', 'nobody'],
])('%s is the page of: %s', (cell, whose) => {
  const person = personProfile.read(cell).kind === 'usable';
  const company = companyProfile.read(cell).kind === 'usable';
  const said = person && company ? 'either' : person ? 'person' : company ? 'company' : 'nobody';
  expect(said).toBe(whose);
  expect(profileUrl.read(cell).kind === 'usable').toBe(whose !== 'nobody');
});

test('two people behind # are two values, and reading a value again changes nothing', () => {
  const at = 'https://app.zoominfo.com/#/apps/profile/person/';
  const values = ['123', '124', '124/contact-profile?x=1', '-125'].map((each) =>
    personProfile.read(at + each),
  );
  expect(values.map((read) => (read.kind === 'usable' ? read.value : problemWords(read as never)))).toEqual(
    ['123', '124', '124', '-125'].map((id) => at + id),
  );
  expect(personProfile.read(`${at}123`)).toEqual({ kind: 'usable', value: `${at}123` });
});

test('a person can be forgotten by an address that is nobody today', () => {
  expect(pageAddress('https://x.com/anna/status/1')).toMatchObject({ kind: 'usable' });
  expect(pageAddress('https://www.facebook.com/')).toMatchObject({ code: 'whole_site' });
});
