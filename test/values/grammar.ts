import { domainToASCII } from 'node:url';

/**
 * Writes cells as people, programs and vendors write them, each with what it means. It shares nothing with the readers
 * of `src/values/`: what is right here is right by how the cell was made.
 */

export interface Written {
  readonly cell: string;
  /** What the cell is; undefined for a cell that is none of the kind. */
  readonly value: string | undefined;
  /** Whether only `--repair` may read it. */
  readonly isDamaged?: true;
}

export type Pick = <Item>(from: readonly Item[]) => Item;

/** Marsaglia's xorshift: the same cells for a seed on every machine. */
export function pickerOf(seed: number): Pick {
  let state = seed | 1;
  return (from) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return from[(state >>> 0) % from.length] as (typeof from)[number];
  };
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const digitsOf = (pick: Pick, count: number): string =>
  Array.from({ length: count }, () => pick(words('0 1 2 3 4 5 6 7 8 9'))).join('');

const BLANKS = ['', '', '', '', ' ', '  ', '\t', '\u00a0', ' \u2009'];
const around = (pick: Pick, text: string): string => pick(BLANKS) + text + pick(BLANKS);
const cased = (pick: Pick, text: string): string =>
  pick([text, text, text.toLowerCase(), text.toUpperCase(), text.slice(0, 1).toUpperCase() + text.slice(1)]);
/** What marks a cell as text is no part of it. */
const marked = (pick: Pick, text: string): string => pick([text, text, text, text, `'${text}`, `="${text}"`]);

/** Words that stand for nothing in a column of a kind. */
const NOTHING = [
  ...words(
    'N/A n/a NULL null None none nil NaN nan undefined - -- — (blank) Unknown UNKNOWN TBC Unavailable 🔴 ❌ ? …',
  ),
  ...[
    'Not Found',
    'not available',
    'No results found',
    'No data',
    '❌ Not found',
    '[Not Provided]',
    'Loading...',
    'Run condition not met',
  ],
  ...[
    'Missing input',
    '#N/A',
    '#REF!',
    '#ERROR!',
    '(empty)',
    'to be confirmed',
    'No match found',
    'None found',
  ],
];

const PEOPLE: readonly (readonly [given: string, family: string])[] = [
  ...([
    'anna bell',
    'kate obrien',
    'jörg wöhler',
    'siobhán ní',
    'иван петров',
    'мария иванова',
    '伟 王',
    'μαρία παππά',
  ] as const),
  ...([
    'łukasz żak',
    'noa levi',
    'さくら 田中',
    'thị nguyễn',
    'raj patel',
    'lee wong',
    'nona ellis',
    'tim law',
  ] as const),
].map((name) => name.split(' ') as [string, string]);
const LABELS = words(
  'acme bluedental harbour-view oldmill 24hours b2b cobaltmining a seekers helpdesk-au nonesuch infohouse',
);
const ENDS = words(
  'com com.au org.au net.au co.nz de io technology sydney nsw.gov.au edu.au co.uk jp travel museum com.sg',
);
const host = (pick: Pick): string =>
  `${pick(['', '', '', 'mail.', 'shop.'])}${pick(LABELS)}${pick(['', '', '7', '-au'])}.${pick(ENDS)}`;

// --------------------------------------------------------------------------------------------------- e-mail

function local(pick: Pick): string {
  const [given, family] = pick(PEOPLE);
  return pick([
    `${given}.${family}`,
    `${given}_${family}`,
    `${given}-${family}`,
    `${given}${family}`,
    `${given.slice(0, 1)}.${family}`,
    `${given}.${family}${digitsOf(pick, 2)}`,
    `${given}+list`,
    given,
    family,
    digitsOf(pick, 8),
    "s.o'neil",
    'r&d.lab',
    'chris.info',
    'sales.anna',
    'j.null',
    'helpmann',
    'd_nguyen',
  ]);
}

const ROLES = words(
  'info noreply no-reply admin sales support enquiries accounts office contact postmaster webmaster hr',
);

export function writeEmail(pick: Pick): Written {
  const value = `${local(pick)}@${host(pick)}`;
  const form = pick(words('plain plain plain plain damaged none'));
  if (form === 'plain')
    return { cell: around(pick, marked(pick, cased(pick, value))), value: cased(pick, value).toLowerCase() };
  if (form === 'damaged') {
    const text = cased(pick, value);
    const cell = pick([
      `mailto:${text}`,
      `mailto:${text}?subject=Hello`,
      `SMTP:${text}`,
      `smtp:${text}`,
      `E-mail: ${text}`,
      `<${text}>`,
      `(${text})`,
      `"${text}"`,
      `“${text}”`,
      `«${text}»`,
      `Anna Bell <${text}>`,
      `"Bell, Anna" <${text}>`,
      `Anna Bell (${text})`,
      `[Anna Bell](mailto:${text})`,
      `=HYPERLINK("mailto:${text}","Anna Bell")`,
      `${text}.`,
      `${text};`,
      `${text},`,
      `${text}/`,
      text.replace('@', '＠'),
      text.replace('@', '%40'),
      text.replace('@', '&#64;'),
      text.replace('@', '&#x40;'),
      text.replace('@', '\u200b@'),
      text.replace('@', pick(['(at)', '[at]', ' [at] ', ' (AT) '])),
      text.replace('@', pick([' @ ', ' @', '@ '])),
      text.replace(/\.(?=[^.]+$)/, pick([',', '..', ' .'])),
      `E: ${text}`,
      `E ${text}`,
      `M: ${text}`,
      `Email: ${text}`,
      `Email address ${text}`,
      `${text} ${pick(['(old)', '(work)', '[Anna Bell]'])}`,
      `<a href="mailto:${text}">Anna Bell</a>`,
      `<mailto:${text}|Anna Bell>`,
    ]);
    return { cell: around(pick, cell), value: text.toLowerCase(), isDamaged: true };
  }
  const [given, family] = pick(PEOPLE);
  const at = host(pick);
  const cell = pick([
    () => pick(NOTHING),
    () => pick(['No email found', 'no email', 'Email not found', 'hidden', 'locked', 'Upgrade to view']),
    () => `${pick(ROLES)}@${at}`,
    () => `${cased(pick, pick(ROLES))}@${at}`,
    () => `${given.slice(0, 1)}***@${at}`,
    () => `${given.slice(0, 1)}•••@${at}`,
    () => `****@${at}`,
    () => `xxx@${at}`,
    () => 'email_not_unlocked@domain.com',
    () => pick(['none@none.com', 'noemail@noemail.com', 'test@test.com', 'na@na.com', 'name@domain.com']),
    () => `#${given}@${at}`,
    () => `//${given}@${at}`,
    () => `аnna@${at}`,
    () => `${given}xxxx@${at}`,
    () => `${pick(['DELETED_', 'deleted-', 'inactive.', 'donotuse_'])}${given}@${at}`,
    () => `${given}@${pick(LABELS)}.${pick(['con', 'cmo', 'comm', 'nett', 'com.auu'])}`,
    () => pick(['you@example.com', 'abc@abc.com', 'john.doe@example.com', 'asd@asd.com']),
    () => `${given}@@${at}`,
    () => `jοhn@${at}`,
    () => `@${at}`,
    () => `${given}@`,
    () => `${given}@${pick(LABELS)}`,
    () => `${given}@${at}; ${family}@${at}`,
    () => `${given}@${at}, ${family}@${at}`,
    () => `${given}@${family}@${at}`,
    () => `${given} at ${at}`,
    () => '[email protected]',
    () => `${given} ${family}`,
    () => `https://${at}/contact`,
    () => at,
    () => `+61 4${digitsOf(pick, 8)}`,
    () => pick(['true', 'yes', '0', 'see notes']),
    () => `${given}..${family}@${at}`,
    () => `.${given}@${at}`,
  ])();
  return { cell: around(pick, cell), value: undefined };
}

// -------------------------------------------------------------------------------------------------- website

const PLATFORMS = [
  ...words(
    'https://www.facebook.com/acme https://www.linkedin.com/company/acme https://www.instagram.com/acme/ https://x.com/acme',
  ),
  ...words(
    'https://www.yellowpages.com.au/acme https://www.crunchbase.com/organization/acme https://www.zoominfo.com/c/acme/1',
  ),
  ...words(
    'https://www.seek.com.au/companies/acme-1 https://www.google.com/search?q=acme https://maps.google.com/?cid=1',
  ),
  ...words(
    'https://web.archive.org/web/2019/http://acme.com.au/ https://bit.ly/3abc https://apps.apple.com/au/app/acme/id1',
  ),
  ...words(
    'https://linktr.ee/acme https://www.youtube.com/@acme gmail.com hotmail.com bigpond.com wixsite.com',
  ),
];

export function writeWebsite(pick: Pick): Written {
  const label = pick([...LABELS, ...words('bücherei-nord münchen-mode дом-книги 北京商店')]);
  const name = `${pick(['', '', '', 'shop.', 'eng.'])}${label}.${pick(ENDS)}`;
  const value = domainToASCII(name);
  const form = pick(words('plain plain plain plain plain damaged none'));
  if (form !== 'none') {
    const path = pick([
      '',
      '',
      '/',
      '/about',
      '/a/b?id=1',
      '#contact',
      '/?utm_source=x',
      '/home/',
      '/index.php?p=2#x',
      ':8443/cart',
    ]);
    const bare = `${pick(['', '', 'www.', 'https://', 'http://', 'https://www.', 'http://www.'])}${cased(pick, name)}`;
    if (form === 'plain') {
      const cell = pick([
        () => marked(pick, bare + path),
        () => bare.replace(/^https?/, (scheme) => scheme.toUpperCase()) + path,
        () => `${name}.`,
        () => `[Acme](https://${name}${path})`,
        () => `Acme (https://${name})`,
        () => `=HYPERLINK("https://${name}${path}","Acme")`,
        () => `<a href="https://${name}${path}" target="_blank">${name}</a>`,
        () => `<a href='http://${name}'><b>Acme</b></a>`,
        () => `<https://${name}${path}|Acme>`,
        () => `[Acme|https://${name}]`,
        () => `anna@${name}`,
      ])();
      return { cell: around(pick, cell), value };
    }
    const cell = pick([
      `${bare};`,
      `${bare},`,
      `"${bare}"`,
      `<${bare}>`,
      `“${bare}”`,
      `(${bare})`,
      bare.replace('.', '\u200b.'),
      `${bare} ${pick(['(old)', '(new site)', '[shop]'])}`,
      `${pick(['W: ', 'W ', 'Web: ', 'Website: ', 'URL: ', 'Homepage - '])}${bare}`,
      bare.replace(/\.(?=[^.]+$)/, pick([',', '..', ' .', '. '])),
      bare.replace(/^(www|https:\/\/www|http:\/\/www)\./, `$1${pick(['. ', ',', '..'])}`),
    ]);
    return { cell: around(pick, cell), value, isDamaged: true };
  }
  const cell = pick([
    () => pick(NOTHING),
    () => pick(['No website', 'no website found', 'Website not found']),
    () => pick(PLATFORMS),
    () => cased(pick, pick(PLATFORMS)),
    () => `anna@${pick(words('gmail.com outlook.com bigpond.com yahoo.com.au icloud.com'))}`,
    () => `https://${digitsOf(pick, 2)}.0.0.1/`,
    () => pick(LABELS),
    () => `${name} and shop.${name}`,
    () => `ftp://${name}`,
    () => `${pick(LABELS)}.${pick(['con', 'cmo', 'comm', 'nett', 'com.auu'])}`,
    () => pick(['example.com', 'https://www.example.org/', 'http://example.net']),
    () => `${name}, shop.${name}`,
    () => `${name},shop.${name}`,
    () => `<a href="https://${name}">Acme</a>, <a href="https://shop.${name}">Shop</a>`,
    () => pick(['https://', 'http://www.', 'www.', 'https://www.']),
    () => pick(['Coming soon', 'ask Jo', 'Acme Pty Ltd', 'under construction', 'true', 'localhost']),
    () => `+61 2 ${digitsOf(pick, 8)}`,
  ])();
  return { cell: around(pick, cell), value: undefined };
}

// -------------------------------------------------------------------------------------------------- profile

const SLUGS = words('jo-citizen bo-chen-1a2b3c no-jae-won anna_b 123456 josé-díaz 王伟-123 ida-kay');

export function writeProfile(pick: Pick): Written {
  const slug = pick(SLUGS);
  const form = pick(words('linkedin linkedin linkedin other damaged none'));
  const own = `https://www.linkedin.com/in/${encodeURIComponent(slug)}`;
  const start = pick(['', 'https://', 'http://', 'https://www.', 'www.', 'https://au.', 'https://m.']);
  if (form === 'linkedin') {
    const end = pick([
      '',
      '',
      '/',
      '/en',
      '?trk=people-guest',
      '/?originalSubdomain=sg',
      '#about',
      '?utm_source=x',
      '/details/experience/',
    ]);
    const text = `${start}linkedin.com/${pick(['in', 'in', 'IN'])}/${pick([slug, slug.toUpperCase(), encodeURIComponent(slug)])}${end}`;
    const cell = pick([
      () => marked(pick, text),
      () => marked(pick, text),
      () => `[Jo](${own})`,
      () => `=HYPERLINK("${own}","Jo")`,
      () => `<a href="${own}">${slug}</a>`,
      () => `<${own}|Jo>`,
    ])();
    return { cell: around(pick, cell), value: own };
  }
  if (form === 'other') {
    const page = pick([
      `x.com/${pick(words('annab jo_citizen bochen'))}`,
      `github.com/${pick(words('annab jo-citizen'))}`,
      `orcid.org/0000-0002-${digitsOf(pick, 4)}-${digitsOf(pick, 4)}`,
      `mastodon.social/@${pick(words('annab bochen'))}`,
      `www.facebook.com/profile.php?id=1${digitsOf(pick, 6)}`,
      `www.crunchbase.com/person/${pick(words('anna-bell bo-chen'))}`,
      `www.linkedin.com/pub/anna-bell/${digitsOf(pick, 2)}/${digitsOf(pick, 3)}/a${digitsOf(pick, 2)}`,
      `www.linkedin.com/talent/profile/AEMAAB${digitsOf(pick, 8)}`,
      `www.linkedin.com/sales/lead/ACwAAB${digitsOf(pick, 8)},NAME_SEARCH,aB1c`,
    ]);
    return { cell: around(pick, `${pick(['', 'https://', 'http://'])}${page}`), value: `https://${page}` };
  }
  if (form === 'damaged') {
    const cell = pick([
      ...[`"${own}"`, `<${own}>`, `“${own}”`, `${own};`, `${own} ,`],
      ...[
        `LinkedIn: ${own}`,
        `LI ${own}`,
        `Profile: ${own}`,
        `${own} (old)`,
        own.replace('://www.', '://www. '),
      ],
    ]);
    return { cell: around(pick, cell), value: own, isDamaged: true };
  }
  const cell = pick([
    () => pick(NOTHING),
    () => pick(['View profile', 'LinkedIn', 'linkedin', 'Profile', 'No LinkedIn found']),
    () =>
      `https://www.linkedin.com/${pick(['in/', 'feed/', 'posts/anna_x-activity-1', 'search/results/people/?keywords=anna', 'jobs/view/1', ''])}`,
    () => `https://www.google.com/search?q=${slug}`,
    () => `https://${pick(words('lnkd.in bit.ly t.co'))}/${slug}`,
    () => 'https://www.facebook.com/profile.php',
    () =>
      `https://www.linkedin.com/${pick(['in/undefined', 'in/null', 'pub/dir/anna/bell', 'sales/lead', 'sales/search/people'])}`,
    () => `https://www.linkedin.con/in/${slug}`,
    () => `https://www.linkedin.com/company/${pick(words('acme bluedental'))}`,
    () => pick(['https://www.facebook.com/', 'https://x.com', 'https://twitter.com/']),
    () => `https://crm.acme.com.au/#contact/${digitsOf(pick, 2)}`,
    () => `${local(pick)}@${host(pick)}`,
    () => `${slug} and ${pick(SLUGS)}`,
    () => `ftp://linkedin.com/in/${slug}`,
  ])();
  return { cell: around(pick, cell), value: undefined };
}

// -------------------------------------------------------------------------------------------------- numbers

/** The two check digits of an ABN as its register computes them, before any nine digits. */
function abnOf(nine: string): string {
  const sum = [...nine].reduce((total, digit, place) => total + Number(digit) * (2 * place + 3), 0);
  return `${10 + ((89 - (sum % 89)) % 89)}${nine}`;
}

/** Nine digits that are an ACN: the last one makes the weighted sum divide by ten. */
function acnOf(eight: string): string {
  const sum = [...eight].reduce((total, digit, place) => total + Number(digit) * (8 - place), 0);
  return `${eight}${(10 - (sum % 10)) % 10}`;
}

const SIGNS = ['', ' ', ' ', '-', '.', '\u00a0', '\u202f', '–', '−'];
const grouped = (text: string, sign: string): string =>
  text.replace(/^(..)(...)(...)(...)$/, ['$1', '$2', '$3', '$4'].join(sign));
const wide = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

export function writeAbn(pick: Pick): Written {
  const acn = acnOf(`${pick(words('0 1 4 6'))}${digitsOf(pick, 7)}`);
  const value = abnOf(pick([acn, digitsOf(pick, 9)]));
  const form = pick(words('plain plain plain plain beside damaged none'));
  const text = grouped(value, pick(SIGNS));
  if (form === 'plain') {
    const label = pick([
      '',
      '',
      '',
      'ABN ',
      'ABN: ',
      'A.B.N. ',
      'abn no. ',
      'ABN Number: ',
      'ABN/ACN: ',
      'ABN/ACN ',
      'ACN/ABN: ',
      'Australian Business Number: ',
      'ABN #',
    ]);
    const cell = pick([
      `${label}${text}`,
      marked(pick, text),
      wide(value),
      `${text} (Active)`,
      `\u200b${text}\ufeff`,
    ]);
    return { cell: around(pick, cell), value };
  }
  if (form === 'beside') {
    const own = value.slice(2);
    const shown = own.replace(/^(...)(...)(...)$/, pick(['$1$2$3', '$1 $2 $3']));
    const cell = pick([
      `ABN ${text} (ACN ${shown})`,
      `ACN ${shown} ABN ${text}`,
      `${text} / ${shown}`,
      `ABN ${text}, ACN ${shown}`,
    ]);
    return { cell: around(pick, cell), value };
  }
  if (form === 'damaged') {
    const cell = pick([
      `${value}.0`,
      value.replace(/(\d)(?=(?:\d{3})+$)/g, '$1,'),
      `"${text}"`,
      `“${value}”`,
    ]);
    return { cell: around(pick, cell), value, isDamaged: true };
  }
  const place = pick([...Array(value.length).keys()]);
  const wrong = (Number(value[place]) + pick([1, 2, 3, 4, 5, 6, 7, 8, 9])) % 10;
  const other = abnOf(digitsOf(pick, 9));
  const cell = pick([
    () => pick(NOTHING),
    () => pick(['ABN pending', 'applied for', 'exempt', 'see notes', 'true']),
    () => grouped(`${value.slice(0, place)}${wrong}${value.slice(place + 1)}`, pick(SIGNS)),
    () => value.slice(0, place) + value.slice(place + 1),
    () => `${value}${digitsOf(pick, 1)}`,
    () => acn,
    () => `ACN ${acn}`,
    () => `ABN/ACN: ${acn}`,
    () => pick(['00 000 000 000', '0412 345 678', '+61 2 9000 1234']),
    () => `A.C.N. ${acn.replace(/^(...)(...)(...)$/, '$1 $2 $3')}`,
    () => (other === value ? 'N/A' : `${text} / ${other}`),
    () => `${value.slice(0, 6)}00000`.replace(/^5182470/, '5182471'),
    () => `94290${digitsOf(pick, 8)}`,
    () => `5.18E+10`,
    () => `${text}/001`,
    () => `${pick(LABELS)} ${value}`,
  ])();
  // Some of the slips may have made another right number by chance.
  const digits = cell.replaceAll(/[^\d]/g, '');
  const isRight = digits.length === 11 && abnOf(digits.slice(2)) === digits && !/[\p{L}/]/u.test(cell);
  return { cell: around(pick, cell), value: isRight ? digits : undefined };
}

export function writePhone(pick: Pick): Written {
  const country = pick(words('61 64 44 1 49 81 971 7 65 852'));
  const number = digitsOf(pick, pick([8, 9, 9, 10])).replace(/^0/, '2');
  const sign = pick([' ', ' ', '-', '.', '', ' / ', '\u00a0', '–']);
  const parts = (text: string): string => text.replaceAll(/(\d{2,4}?)(?=(?:\d{3,4})+$)/g, `$1${sign}`);
  const text = pick([
    `+${country} ${parts(number)}`,
    `+${country}${number}`,
    `00${country} ${parts(number)}`,
    `(0${number.slice(0, 1)}) ${parts(number.slice(1, 9))}`,
    `0${parts(number)}`,
    `+${country} (0)${parts(number)}`,
    `${country}${number}`,
    `13 ${digitsOf(pick, 2)} ${digitsOf(pick, 2)}`,
    `1800 ${digitsOf(pick, 3)} ${digitsOf(pick, 3)}`,
    `1300${digitsOf(pick, 6)}`,
    wide(`0${number}`),
  ]);
  const form = pick(words('plain plain plain plain none'));
  if (form === 'plain') {
    const label = pick(['', '', '', '', 'Tel: ', 'tel:', 'Phone: ', 'Mob. ', 'T: ']);
    const extension = pick(['', '', '', '', '', ' ext. 12', ' x123', ';ext=136', ' ext 7', ' #12']);
    return { cell: around(pick, label + text + extension), value: text };
  }
  const cell = pick([
    () => pick(NOTHING.filter((word) => !word.startsWith('#'))),
    () =>
      pick([
        'No phone found',
        'Upgrade to view',
        'requires credits',
        'xxx-xxx-xxxx',
        'call reception',
        'true',
        'false',
      ]),
    () => `+${country} ${number.slice(0, 2)}** *** *${number.slice(-2)}`,
    () => `+${country} ${number.slice(0, 3)}•••${number.slice(-2)}`,
    () => `${local(pick)}@${host(pick)}`,
    () => `https://${host(pick)}/contact`,
    () => digitsOf(pick, 3),
    () => `${parts(number)}${digitsOf(pick, 12)}`,
    () => `${text} or ${digitsOf(pick, 8)}`,
    () => `0000000000`,
    () => `${pick(PEOPLE).join(' ')} ${number}`,
  ])();
  return { cell: around(pick, cell), value: undefined };
}
