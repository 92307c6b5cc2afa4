/**
 * Goal: of what people write for a website or a profile, each right one is sent as it is meant, and nothing else is sent.
 * Method: a generator that shares nothing with the reader writes 10,000 cells of each with what they mean.
 */
import { expect, test } from 'vitest';
import { personProfile } from '../../src/values/profile.ts';
import type { Read } from '../../src/values/reading.ts';
import { domain, website } from '../../src/values/website.ts';

type Pick = <Item>(...from: readonly Item[]) => Item;

/** The same cells for a seed on every machine. */
function picker(seed: number): Pick {
  let state = seed;
  return (...from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)] as (typeof from)[number];
  };
}

interface Cell {
  readonly cell: string;
  /** What is sent; undefined where nothing is. */
  readonly value: string | undefined;
}

const inCase = (pick: Pick, text: string): string =>
  pick(
    (each: string) => each,
    (each: string) => each.toUpperCase(),
    (each: string) => each,
  )(text);

const around = (pick: Pick, text: string): string =>
  `${pick('', '', '', ' ', '\t', '\u00a0')}${text}${pick('', '', '', ' ', '  ', '\u00a0')}`;

const label = (pick: Pick): string =>
  pick(
    'acme',
    'blue-dental',
    'oldmill',
    '7-eleven',
    'b2b',
    'seekers',
    'mapsandmore',
    'facebookers',
    'archives',
    'x1',
    'wixcraft',
    'linkedout',
  );

function ownHost(pick: Pick): { readonly written: string; readonly host: string } {
  const end = pick(
    'com',
    'com.au',
    'org.au',
    'net',
    'co.nz',
    'de',
    'io',
    'design',
    'gov.au',
    'edu.au',
    'co.uk',
    'sydney',
  );
  const [written, plain] = pick<readonly [string, string]>(
    ...Array<readonly [string, string]>(8).fill([`${label(pick)}.${end}`, '']),
    [
      `${label(pick)}.${pick('wixsite.com', 'wordpress.com', 'github.io', 'myshopify.com', 'blogspot.com', 'business.site')}`,
      '',
    ],
    [`shop.${label(pick)}.${end}`, ''],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['дом.рф', 'xn--d1aqf.xn--p1ai'],
  );
  return { written, host: plain === '' ? written : plain };
}

function rightSite(pick: Pick): Cell {
  const { written, host } = ownHost(pick);
  const site = inCase(
    pick,
    `${pick('', 'https://', 'http://', 'www.', 'https://www.', 'http://www.')}${written}`,
  );
  const path = pick(
    '',
    '',
    '',
    '/',
    '/contact',
    '/about-us?x=1',
    '#top',
    '/?utm_source=mail',
    '/a/b/',
    ':8080/x',
    '.',
  );
  const address = site + path;
  const link = pick(
    ...Array<string>(8).fill(address),
    ...(/^https?:/i.test(address)
      ? [`=HYPERLINK("${address}","Acme")`, `[Acme](${address})`, `Acme <${address}>`]
      : []),
    `https://www.google.com/url?sa=t&url=${encodeURIComponent(`https://${host}/x`)}`,
    `https://nam02.safelinks.protection.outlook.com/?url=${encodeURIComponent(`http://${host}`)}&data=05`,
    `'${address}`,
    `jo@${host}`,
  );
  return { cell: around(pick, link), value: host };
}

function wrongSite(pick: Pick): Cell {
  const slug = label(pick);
  const cell = pick(
    `https://www.${pick('facebook.com', 'linkedin.com/company', 'crunchbase.com/organization', 'zoominfo.com/c', 'yelp.com.au/biz', 'instagram.com', 'trustpilot.com/review', 'etsy.com/shop')}/${slug}`,
    `https://${pick('au.linkedin.com/company', 'm.facebook.com', 'en.wikipedia.org/wiki', 'play.google.com/store/apps', 'apps.apple.com/au/app', 'web.archive.org/web/2020', 'maps.google.com.au', 'translate.google.com', 'sites.google.com/view')}/${slug}`,
    `https://www.google.${pick('com', 'com.au', 'de')}/${pick('search?q=', 'maps/place/', 'url?q=')}${slug}`,
    `https://${pick('bit.ly', 'tinyurl.com', 't.co', 'goo.gl', 'rb.gy')}/${slug}`,
    pick(
      'wixsite.com',
      'https://www.wordpress.com/',
      'github.io',
      'myshopify.com',
      'com.au',
      'squarespace.com',
    ),
    pick('gmail.com', 'jo@hotmail.fr', 'www.bigpond.com', 'yahoo.co.uk', 'gmx.at'),
    pick(
      'N/A',
      '-',
      'none',
      'TBC',
      'Coming soon',
      'no website',
      'see Facebook',
      '#N/A',
      '(blank)',
      'https://',
      'www',
      'http://www.',
    ),
    pick(
      '10.0.0.1',
      'http://192.168.1.5/x',
      'localhost',
      'http://localhost:3000',
      'acme',
      'https://intranet/',
      'srv.local',
    ),
    `${slug}.com ${slug}.net`,
    `${slug}.com;other.com`,
    `${slug},com`,
    `-${slug}.com`,
    `${slug}_x.com`,
    `ftp://${slug}.com`,
    `https://user:pw@${slug}.com`,
  );
  return { cell: around(pick, cell), value: undefined };
}

function rightProfile(pick: Pick): Cell {
  const slug = pick('jo-citizen', 'bo_chen', 'no-jae-won', 'mo-q-1a2b3c', 'o.lee', 'null-bell', 'search-lee');
  const scheme = pick('', 'https://', 'http://', 'HTTPS://');
  const tail = pick(
    '',
    '',
    '/',
    '?trk=people',
    '/?originalSubdomain=sg',
    '/en',
    '#about',
    '/details/skills/',
  );
  const linkedIn = `https://www.linkedin.com/in/${slug}`;
  const id = pick('12', '7654321', '-44');
  const number = pick('100001', '5', '998');
  const [cell, value] = pick<readonly [string, string]>(
    [
      `${scheme}${pick('www.', '', 'au.', 'uk.')}linkedin.com/${pick('in', 'in', 'IN')}/${inCase(pick, slug)}${tail}`,
      linkedIn,
    ],
    [`${scheme}${pick('www.', '')}linkedin.com/in/${slug}${tail}`, linkedIn],
    [`=HYPERLINK("${linkedIn}","Jo")`, linkedIn],
    [`[Jo Citizen](${linkedIn})`, linkedIn],
    [`https://www.google.com/url?q=${encodeURIComponent(linkedIn)}&sa=D`, linkedIn],
    [`${scheme}x.com/${slug}${pick('', '/')}`, `https://x.com/${slug}`],
    [`${scheme}github.com/${slug}`, `https://github.com/${slug}`],
    [`https://mastodon.social/@${slug}`, `https://mastodon.social/@${slug}`],
    [
      `https://www.facebook.com/profile.php?id=${number}`,
      `https://www.facebook.com/profile.php?id=${number}`,
    ],
    [`https://www.crunchbase.com/person/${slug}#x`, `https://www.crunchbase.com/person/${slug}`],
    [
      `https://app.zoominfo.com/#/apps/profile/person/${id}${pick('', '/', '/contact-profile', '?x=1')}`,
      `https://app.zoominfo.com/#/apps/profile/person/${id}`,
    ],
    [`https://www.${label(pick)}.com.au/team/${slug}`, ''],
  );
  return { cell: around(pick, cell), value: value === '' ? cell : value };
}

function wrongProfile(pick: Pick): Cell {
  const slug = label(pick);
  const cell = pick(
    `https://www.linkedin.com/${pick('company/acme', 'posts/jo_x-activity-1', 'in/', 'search/results/people/?keywords=jo', 'feed/', 'jobs/view/1', 'in/undefined', '')}`,
    `https://www.google.com${pick('', '/', '/search?q=jo+linkedin', '/maps/place/x', '/url?q=jo')}`,
    `https://${pick('duckduckgo.com/?q=jo', 'www.bing.com/search?q=jo', 'search.yahoo.com/search?p=jo', 'www.facebook.com/search/people/?q=jo')}`,
    `https://${pick('www.facebook.com', 'x.com/', 'github.com', `${slug}.com.au`, `www.${slug}.com/`)}`,
    `https://${pick('outlook.office.com/mail/id/x', 'mail.google.com/mail/u/0/#inbox/x', 'outlook.live.com/mail/0/inbox')}`,
    `https://crm.${slug}.com/#${pick('contact/7', '/people/7', 'x')}`,
    `https://${pick('x.com/jo/status/1', 'www.instagram.com/p/abc/', 'www.youtube.com/watch?v=1', 'www.tiktok.com/@jo/video/1', 'www.facebook.com/jo/posts/1')}`,
    `https://app.zoominfo.com/${pick('', '#/apps/home', '#/apps/searchV2/v2/results/person?query=x', '#/apps/profile/company/12')}`,
    `https://www.crunchbase.com/${pick('organization/acme', 'discover/people')}`,
    pick('View profile', 'LinkedIn', 'N/A', '-', 'none', 'jo-citizen', '#REF!', 'Jo Citizen', 'see website'),
    `https://www.linkedin.com/in/jo https://x.com/jo`,
  );
  return { cell: around(pick, cell), value: undefined };
}

function judged(read: Read, { cell, value }: Cell): string | undefined {
  const said = read(cell);
  const sent = said.kind === 'usable' ? said.value : undefined;
  return sent === value
    ? undefined
    : `${JSON.stringify(cell)}: ${sent ?? 'nothing'} for ${value ?? 'nothing'}`;
}

const CELLS = 10_000;

test.each<readonly [string, Read, (pick: Pick) => Cell, (pick: Pick) => Cell]>([
  ['website', domain.read, rightSite, wrongSite],
  ['profile', personProfile.read, rightProfile, wrongProfile],
])(
  'of 10,000 cells of a %s none is sent that is none, and none is refused that is one',
  (_, read, right, wrong) => {
    const pick = picker(89);
    const cells = Array.from({ length: CELLS }, () => pick(right, right, wrong)(pick));
    expect(new Set(cells.map(({ cell }) => cell)).size).toBeGreaterThan(500);
    expect([...new Set(cells.flatMap((each) => judged(read, each) ?? []))].slice(0, 40)).toEqual([]);
  },
);

test('what is sent is read as itself, and a website and its host are refused together', () => {
  const pick = picker(7);
  for (let at = 0; at < CELLS / 5; at += 1) {
    const { cell, value } = pick(rightSite, wrongSite)(pick);
    if (value !== undefined) expect(domain.read(value)).toEqual({ kind: 'usable', value });
    if (!cell.includes('@'))
      expect([cell, website.read(cell).kind === 'usable']).toEqual([cell, value !== undefined]);
  }
});
