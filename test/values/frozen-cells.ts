import { callKeyOf } from '../../src/core/call-key.ts';
import { loadFamily } from '../../src/core/families.ts';
import type { Operation } from '../../src/core/operation.ts';
import { wordsIn } from '../../src/core/plain-text.ts';

/**
 * The cells of `frozen.jsonl`, and how a cell becomes a call. The file was written once, by the build of 29 November
 * 2026, before `src/values/` was there: `node test/values/frozen-cells.ts` printed it. It is never written again.
 */

type Pick = <Item>(from: readonly Item[]) => Item;

/** The same numbers for a seed on every machine. */
function picker(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return from[((mixed ^ (mixed >>> 14)) >>> 0) % from.length] as (typeof from)[number];
  };
}

const GIVEN = wordsIn(`
  Anna Kate Marion Siobhán Łukasz José Nguyễn Иван さくら محمد Wei Mary-Jane J. O Al Zoë Ngoc Prince June Ruth Li Jörg
  Chloé André Null Sandy Guy Hoon Na
`);
const FAMILY = [
  ...wordsIn(`
    Bell O'Brien Sales Smith-Jones Ng Żak Петров 田中 العلي Müller Null Na Nan Blank Law Head May Rand Wong Petrescu
    McDonald MACDONALD d’Arcy Weiß Testa Ito Li
  `),
  'von und zu Stein',
  'Ortega y Prado',
  'Văn An',
  'Ford III',
  'de la Cruz',
];
const COMPANIES = [
  'Acme Pty Ltd',
  'Null Pty Ltd',
  '99 Bikes',
  'Yahoo!',
  'Toys “R” Us',
  'Marks and Spencer',
  'A/S Norden',
  '华北技术有限公司',
  'חברת הדקל',
  "Société d'Exemple SARL",
  'Coral Group Limited (ASX: CRL)',
  'The Trustee for Smith Family Trust',
  'X',
  '@Home Realty',
  'NA Consulting',
  'Zero Latency',
  'Müller & Söhne GmbH',
  'Café Zoë',
  'Smith, Jones & Partners',
  '7-Eleven',
  'B2B Media',
  'McDonald’s Family Restaurants',
  'E. & O. Bank',
  '1300 Flowers',
  'TBC Consulting',
];
const LABELS = wordsIn(`
  acme bluedental harbour-view oldmill papabakery echovalley glassworks stadtwerke-beispiel smith-co 24hours a b2b
  cobaltmining parish startup münchen bücher etisal naive-labs xn--bcher-kva
`);
const ENDS = wordsIn(
  'com com.au org.au net edu.au gov.au co.uk de co.nz io technology sydney nsw.gov.au org ai 中国',
);
const ODD_HOSTS = wordsIn(`
  gmail.com bigpond.com linkedin.com au.linkedin.com facebook.com 10.0.0.1 localhost acme bit.ly acme_co.com
  -acme.com acme-.com wixsite.com acme.wixsite.com sites.google.com yahoo.com.au acme..com
`);
const WORDS_FOR_NOTHING = [
  ...wordsIn('N/A n/a NULL null None nil NaN undefined - -- (blank) 0 \\N'),
  '',
  '#N/A',
  '#REF!',
];
const SCHEMES = [
  ...wordsIn('https:// https:// https:// https:// http:// http:// http:// HTTPS:// Http:// ftp://'),
  '',
  '',
  '',
  '',
];
const PATHS = [
  ...[
    '',
    '',
    '',
    '/',
    '//',
    '/contact',
    '/home/',
    '/About Us',
    '/about-us.html',
    '/a/b?id=1',
    '?utm_source=x',
    '#top',
  ],
  ...[
    '/?ref=1&utm_medium=mail',
    '/shop;v=1',
    ':8080',
    ':443/',
    ':80',
    '/%7Ejo',
    '/~jo/',
    '/é',
    '/index.php?p=2#x',
    '.',
  ],
];
const SECTIONS = wordsIn('in company school showcase pub posts jobs search');
const SLUGS = wordsIn(`
  jo-citizen bo_chen GIA-LI 王伟-123 ida%20kay josé-díaz-1a2b3c acme ACwAAAbcdefghijklmnopqrs ACoAABcDeFgHiJkLmNoP annab
  no-jae-won j.doe r&d-lab 123456 jos%C3%A9 %E7%8E%8B x profile
`);
const AROUND = [
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  ' ',
  ' ',
  '  ',
  '\t',
  '\u00a0',
  '\u200b',
];

/** One cell of a kind, mostly one that can be used. */
type Writer = (pick: Pick) => string;

const CASES = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
];
const spelled = (pick: Pick, text: string): string =>
  pick([...CASES, CASES[0], CASES[0]] as typeof CASES)(text);
const digits = (pick: Pick, count: number): string =>
  Array.from({ length: count }, () => pick([...'0123456789'])).join('');
const host: Writer = (pick) =>
  pick([...Array<boolean>(12).fill(true), false])
    ? `${pick(['', '', 'www.', 'WWW.', 'shop.', 'www.www.'])}${pick(LABELS)}.${pick(ENDS)}`
    : pick(ODD_HOSTS);

function abn(pick: Pick): string {
  const nine = digits(pick, 9);
  const sum = [...nine].reduce((total, digit, place) => total + Number(digit) * (2 * place + 3), 0);
  return `${10 + ((89 - (sum % 89)) % 89)}${nine}`;
}

const grouped = (text: string, sign: string): string =>
  text.replace(/^(..)(...)(...)(...)$/, ['$1', '$2', '$3', '$4'].join(sign));

const address: Writer = (pick) => {
  const given = pick(GIVEN);
  const family = pick(FAMILY).replaceAll(' ', '');
  const local = pick([
    `${given}.${family}`,
    `${given}${pick(['_', '-', '+', '', '&'])}${family}`,
    `${given[0]}.${family}`,
    given,
    `${given}${digits(pick, 2)}`,
    digits(pick, 8),
    pick(wordsIn('info sales noreply admin enquiries chris.info helpmann none j.null r&d')),
  ]);
  return `${local}@${host(pick).replace(/^www\./i, '')}`;
};

const wrapped = (pick: Pick, text: string): string => {
  const wrap = pick([...Array<string>(24).fill(''), "'", '="', '"', '<', 'mailto:', '.', ',', ';', '(']);
  if (wrap === '="') return `="${text}"`;
  if (wrap === '"') return `"${text}"`;
  if (wrap === '<') return `<${text}>`;
  if (wrap === '.' || wrap === ',' || wrap === ';') return text + wrap;
  return wrap === '(' ? `${text} (work)` : wrap + text;
};

const site: Writer = (pick) => {
  const text = spelled(pick, `${pick(SCHEMES)}${host(pick)}${pick(PATHS)}`);
  const link = pick([...Array<string>(20).fill(''), 'excel', 'markdown', 'brackets', 'mail']);
  if (link === 'excel') return `=HYPERLINK("https://${text}","Acme")`;
  if (link === 'markdown') return `[Acme](https://${text})`;
  if (link === 'brackets') return `Acme (https://${text})`;
  return link === 'mail' ? address(pick) : text;
};

const profile: Writer = (pick) => {
  const slug = pick(SLUGS);
  const network = pick([
    `${pick(['www.', '', 'au.', 'm.'])}linkedin.com/${pick(SECTIONS)}/${slug}`,
    `${pick(['www.', '', 'au.', 'm.'])}linkedin.com/in/${slug}`,
    `www.linkedin.com/in/${slug}`,
    `www.linkedin.com/company/${slug}`,
    `x.com/${slug}`,
    `github.com/${slug}`,
    `www.facebook.com/profile.php?id=${digits(pick, 6)}`,
    `mastodon.social/@${slug}`,
    `orcid.org/0000-0002-${digits(pick, 4)}-${digits(pick, 4)}`,
    `www.crunchbase.com/person/${slug}`,
    `xing.com/profile/${slug}`,
  ]);
  const end = pick([
    '',
    '',
    '',
    '/',
    '/en',
    '?trk=people',
    '#about',
    '/?utm_source=x',
    '?originalSubdomain=sg',
    '),',
    '.',
  ]);
  const text = spelled(pick, `${pick(SCHEMES)}${network}${end}`);
  return pick([false, false, false, true])
    ? text
    : pick([text, `[Jo](https://${network})`, `=HYPERLINK("https://${network}")`]);
};

const person: Writer = (pick) =>
  spelled(pick, pick([pick(GIVEN), pick(FAMILY), `${pick(GIVEN)} (${pick(GIVEN)})`]));

interface Frozen {
  readonly operation: string;
  readonly input: string;
  readonly write: Writer;
  readonly count: number;
}

/** By the names in the file. */
export const FROZEN: Readonly<Record<string, Frozen>> = {
  email: {
    operation: 'enrich-person',
    input: 'email',
    write: (pick) => wrapped(pick, spelled(pick, address(pick))),
    count: 900,
  },
  website: { operation: 'enrich-company', input: 'website', write: site, count: 700 },
  domain: { operation: 'enrich-company', input: 'domain', write: site, count: 500 },
  person_profile: { operation: 'enrich-person', input: 'profile_url', write: profile, count: 600 },
  company_profile: { operation: 'enrich-company', input: 'profile_url', write: profile, count: 400 },
  slug: {
    operation: 'enrich-person',
    input: 'profile_slug',
    write: (pick) =>
      pick([() => pick(SLUGS), () => `in/${pick(SLUGS)}`, () => profile(pick), () => person(pick)])(),
    count: 300,
  },
  first_name: { operation: 'find-email', input: 'first_name', write: person, count: 250 },
  last_name: {
    operation: 'find-email',
    input: 'last_name',
    write: (pick) => spelled(pick, pick(FAMILY)),
    count: 150,
  },
  full_name: {
    operation: 'find-email',
    input: 'full_name',
    write: (pick) => spelled(pick, `${pick(GIVEN)}${pick([' ', ' ', '  ', '\u00a0', ', '])}${pick(FAMILY)}`),
    count: 300,
  },
  company: {
    operation: 'enrich-company',
    input: 'name',
    write: (pick) =>
      spelled(pick, `${pick(COMPANIES)}${pick(['', '', '', ' Group', '  Australia', ' Pty. Ltd.'])}`),
    count: 250,
  },
  abn: {
    operation: 'enrich-company',
    input: 'abn',
    write: (pick) => {
      const text = grouped(abn(pick), pick(['', '', '', ' ', ' ', ' ', '-', '.', '\u00a0', '–', '/', ',']));
      const label = pick(['', '', '', '', 'ABN ', 'A.B.N. ', 'ABN: ', 'abn number ', 'ACN ', "'"]);
      return `${label}${text}${pick([...Array<string>(10).fill(''), ' (Active)', '.0', '1'])}`;
    },
    count: 400,
  },
  number: {
    operation: 'enrich-company',
    input: 'number',
    write: (pick) =>
      `${pick(['', '', 'SC', 'hrb ', 'NI-', 'FN ', '0'])}${digits(pick, pick([4, 6, 7, 8, 9, 13]))}${pick(['', '', ' b', '-9', '/1'])}`,
    count: 150,
  },
  country: {
    operation: 'enrich-company',
    input: 'country',
    write: (pick) =>
      spelled(
        pick,
        pick(['AU', 'nz', 'Australia', 'New  Zealand', 'Côte d’Ivoire', 'USA', 'U.S.', '日本', 'X', '61']),
      ),
    count: 100,
  },
};

/** Which cell of a kind becomes which call; undefined where nothing is sent. */
export async function sendingOf(kind: string): Promise<(cell: string) => Sent | undefined> {
  const { operation: name, input } = FROZEN[kind] as Frozen;
  const operations = await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url));
  const operation = operations.get(name) as Operation;
  const asked = operation.askedBy?.([input], [input]) ?? operation;
  const prepare = asked.preparer({ waterfall: [input], roleAddresses: 'send' });
  return (cell) => {
    const prepared = prepare({ [input]: cell });
    if (prepared.kind !== 'ready') return undefined;
    const step = asked.next(prepared.input, () => undefined);
    if (step.kind !== 'send') return undefined;
    return {
      value: String(step.call.parameters[input]),
      key: callKeyOf('vendor:account', step.call).slice(0, 12),
    };
  };
}

interface Sent {
  readonly value: string;
  /** The first twelve digits of the call's key. */
  readonly key: string;
}

if (import.meta.main) {
  for (const [kind, { write, count }] of Object.entries(FROZEN)) {
    const pick = picker(count);
    const sending = await sendingOf(kind);
    const seen = new Set<string>();
    while (seen.size < count) {
      const cell =
        pick([...Array(25).keys()]) === 0
          ? pick(WORDS_FOR_NOTHING) + pick(AROUND)
          : pick(AROUND) + write(pick) + pick(AROUND);
      if (seen.has(cell)) continue;
      seen.add(cell);
      const sent = sending(cell);
      process.stdout.write(
        `${JSON.stringify(sent === undefined ? [kind, cell] : [kind, cell, sent.value, sent.key])}\n`,
      );
    }
  }
}
