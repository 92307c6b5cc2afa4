import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemWords } from '../../src/core/cell-problems.ts';
import { companyName } from '../../src/values/company-name.ts';
import { email } from '../../src/values/email.ts';
import { abn, formatAbn, registerNumber } from '../../src/values/number.ts';
import { fullName, personName } from '../../src/values/person-name.ts';
import { companyProfile, personProfile, profileSlug } from '../../src/values/profile.ts';
import type { ReadAs } from '../../src/values/reading.ts';
import { country } from '../../src/values/text.ts';
import { domain, website } from '../../src/values/website.ts';
import { validAbn } from './abn-arbitrary.ts';

/**
 * Goal: the same identifier in two spellings is bought once, and what cannot identify anything is not bought at all.
 * Method: tables of spellings as they stand in real sheets, and properties over arbitrary text.
 */

type Table = readonly (readonly [cell: string, expected: string])[];

function reads(read: (cell: string) => ReadAs, table: Table): void {
  test.each(table)('%j is %j', (cell, value) => {
    expect(read(cell)).toMatchObject({ kind: 'usable', value });
    expect(read(value)).toEqual({ kind: 'usable', value });
  });
}

function refuses(read: (cell: string) => ReadAs, table: Table): void {
  test.each(table)('%j: %s', (cell, problem) => {
    const said = read(cell);
    expect(said.kind === 'unusable' && problemWords(said)).toBe(problem);
  });
}

describe('an ABN', () => {
  reads(abn.read, [
    ['ABN 51 824 753 556', '51824753556'],
    ["'51824753556", '51824753556'],
    ['="51824753556"', '51824753556'],
    [' ="51 824 753 556 " ', '51824753556'],
  ]);
  refuses(abn.read, [['51 824 753 557', 'the checksum fails']]);
});

describe('a domain', () => {
  reads(domain.read, [
    ['acme.org.au', 'acme.org.au'],
    ['="www.acme.org.au"', 'acme.org.au'],
    ['  ACME.org.au. ', 'acme.org.au'],
    ['www.acme.org.au', 'acme.org.au'],
    ['http://www.acme.org.au/about?x=1#team', 'acme.org.au'],
    ['https://acme.org.au:8443', 'acme.org.au'],
    ['jo@acme.org.au', 'acme.org.au'],
    ['mailto:Jo.Citizen+list@ACME.org.au', 'acme.org.au'],
    ['sydney.acme.org.au', 'sydney.acme.org.au'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['例え。みんな', 'xn--r8jz45g.xn--q9jyb4c'],
  ]);
  refuses(domain.read, [
    ['jo@gmail.com', 'gmail.com belongs to a mailbox provider, not to one company'],
    ['members.iinet.net.au/~acme', 'members.iinet.net.au belongs to a mailbox provider, not to one company'],
    ['https://www.facebook.com/acme', 'facebook.com has pages of many companies'],
    ['https://sites.google.com/view/acme', 'sites.google.com has pages of many companies'],
    ['Acme Pty Ltd', 'contains a space or several values'],
    ['acme.org,acme.com', '"acme.org,acme.com" is not a domain name'],
    ['acme', 'has no dot in its host name'],
    ['acme..org', '"acme..org" is not a domain name'],
    ['192.168.0.1', 'is an IP address, not a name'],
    ['51824753556', 'is not a web address'],
    ['ftp://acme.org', 'starts with ftp://, not with https://'],
    ['https://acme.org@evil.example', 'contains a user name'],
    [`${'a.'.repeat(2000)}org`, 'is longer than 2048 characters'],
  ]);
});

describe('a website', () => {
  reads(website.read, [
    ['acme.org.au', 'https://acme.org.au'],
    ['HTTP://WWW.Acme.org.au/', 'https://www.acme.org.au'],
    ["'http://acme.org.au/about", 'https://acme.org.au/about'],
    ['https://acme.org.au:443/#top', 'https://acme.org.au'],
    ['http://acme.org.au:8443', 'https://acme.org.au:8443'],
    ['https://acme.org.au./Branch/Sydney/?id=1#x', 'https://acme.org.au/Branch/Sydney/?id=1'],
    ['acme.org.au/?branch=2', 'https://acme.org.au/?branch=2'],
    ['https://münchen.de/größe', 'https://xn--mnchen-3ya.de/gr%C3%B6%C3%9Fe'],
  ]);
  refuses(website.read, [
    ['info@acme.org.au', 'is an e-mail address, not a website'],
    ['facebook.com/acme', 'facebook.com has pages of many companies'],
    ['gmail.com', 'gmail.com belongs to a mailbox provider, not to one company'],
    ['later', 'has no dot in its host name'],
    ['javascript:alert(1)', 'is not a web address'],
    ['acme.org acme.com', 'contains a space or several values'],
  ]);
});

describe('an e-mail address', () => {
  reads(email.read, [
    [' Jo.Citizen@Example.ORG ', 'jo.citizen@example.org'],
    ['jo@gmail.com', 'jo@gmail.com'],
    ['jo+list@example.org', 'jo+list@example.org'],
    ["o'brien@example.org", "o'brien@example.org"],
    ["'jo@example.org", 'jo@example.org'],
    ['mía@example.org', 'mía@example.org'],
  ]);
  refuses(email.read, [
    ['jo@example.org; flo@example.org', 'holds more than one e-mail address'],
    ['jo@example.org,flo@example.org', 'holds more than one e-mail address'],
    ['jo', 'is not an e-mail address'],
    ['jo@example', 'is not an e-mail address'],
    ['jo @example.org', 'is not an e-mail address'],
    ['Jo <jo@example.org>', 'is not an e-mail address'],
    ['.jo@example.org', 'is not an e-mail address'],
    ['jo..citizen@example.org', 'is not an e-mail address'],
    ['jo@127.0.0.1', 'is not an e-mail address'],
    ['https://example.org/jo', 'is not an e-mail address'],
    ['Jo@München.de', 'has other letters than a to z after the @; write that as xn--mnchen-3ya.de'],
    ['jo@exam\u200Bple.org', 'contains an invisible character'],
    ['jo@example.org/', 'is not an e-mail address'],
    ['jo@@example.org', 'has more than one @'],
    ['jo@acme.con', 'ends in .con, which is no top-level domain'],
  ]);
});

describe('the profile URL of a person', () => {
  reads(personProfile.read, [
    ['https://www.linkedin.com/in/jo-citizen', 'https://www.linkedin.com/in/jo-citizen'],
    ['linkedin.com/in/jo-citizen', 'https://www.linkedin.com/in/jo-citizen'],
    ['http://au.linkedin.com/in/Jo-Citizen/?trk=x#about', 'https://www.linkedin.com/in/jo-citizen'],
    ['https://m.linkedin.com/IN/jo-citizen/en', 'https://www.linkedin.com/in/jo-citizen'],
    ['https://www.linkedin.com/in/jos%c3%a9', 'https://www.linkedin.com/in/jos%C3%A9'],
    ['https://www.linkedin.com/in/José', 'https://www.linkedin.com/in/jos%C3%A9'],
    // A member id and no slug: in other capitals it is another member.
    [
      'https://linkedin.com/in/ACoAAB1cDeFgHiJkLmNoPq_-rs/',
      'https://www.linkedin.com/in/ACoAAB1cDeFgHiJkLmNoPq_-rs',
    ],
    // A network that we know nothing about: only what can never matter is removed.
    [
      'HTTP://Profiles.Example.net/People/Jo/?id=7&utm_source=mail&gclid=1#top',
      'https://profiles.example.net/People/Jo?id=7',
    ],
    ['profiles.example.net/jo', 'https://profiles.example.net/jo'],
    ['https://notlinkedin.com/pub/Jo', 'https://notlinkedin.com/pub/Jo'],
  ]);
  refuses(personProfile.read, [
    ['jo-citizen', 'is a slug, not a URL'],
    [
      'https://www.linkedin.com/company/acme',
      'is not the profile of a person on LinkedIn, which starts with /in/…',
    ],
    ['https://www.linkedin.com/in/', 'is not the profile of a person on LinkedIn, which starts with /in/…'],
    [
      'https://www.linkedin.com/in/undefined',
      'has the placeholder "undefined" in place of a person or a company',
    ],
    ['https://lnkd.in/abc', 'is a short link of lnkd.in, which does not show the page it opens'],
    ['https://www.linkedin.com/in/%', 'is not the profile of a person on LinkedIn, which starts with /in/…'],
    ['jo@example.org', 'is an e-mail address, not a profile'],
    ['t/a', 'has no dot in its host name'],
  ]);
});

describe('the profile URL of a company', () => {
  reads(companyProfile.read, [
    ['https://www.linkedin.com/company/booking.com/', 'https://www.linkedin.com/company/booking.com'],
    ['linkedin.com/company/r&d', 'https://www.linkedin.com/company/r%26d'],
    ['https://au.linkedin.com/company/Acme/about/?x=1', 'https://www.linkedin.com/company/acme'],
    ['linkedin.com/school/acme-college/', 'https://www.linkedin.com/school/acme-college'],
  ]);
  refuses(companyProfile.read, [
    [
      'https://www.linkedin.com/in/jo-citizen',
      'is not the profile of a company on LinkedIn, which starts with /company/…, /school/…, or /showcase/…',
    ],
    ['acme', 'is a slug, not a URL'],
  ]);
});

describe('the address behind a word', () => {
  reads(domain.read, [
    ['=HYPERLINK("https://acme.com.au","Acme (Sydney)")', 'acme.com.au'],
    ['\'=hyperlink( "acme.com.au/x" ; "Acme" )', 'acme.com.au'],
    ['[Acme](https://acme.com.au/about_(us))', 'acme.com.au'],
    ['Acme Pty Ltd (https://www.acme.com.au)', 'acme.com.au'],
    ['<https://acme.com.au>', 'acme.com.au'],
  ]);
});

describe('a profile slug', () => {
  reads(profileSlug.read, [
    ['Jo-Citizen', 'jo-citizen'],
    ['jo_citizen-7b', 'jo_citizen-7b'],
    ['in/jo-citizen', 'jo-citizen'],
    ['/in/ACwAAB1cDeFgHiJkLmNoPq', 'ACwAAB1cDeFgHiJkLmNoPq'],
    ['https://au.linkedin.com/in/Jo-Citizen/?trk=x', 'jo-citizen'],
    ['jos%C3%A9', 'josé'],
    // The same letter as one character and as two.
    ['jose\u0301', 'jos\u00e9'],
    ['https://www.linkedin.com/mwlite/in/jo-citizen', 'jo-citizen'],
    ['(https://www.linkedin.com/in/jo-citizen)', 'jo-citizen'],
    ['[Jo](https://www.linkedin.com/in/jo-citizen)', 'jo-citizen'],
    ['=HYPERLINK("https://www.linkedin.com/in/jo-citizen";"LinkedIn")', 'jo-citizen'],
  ]);
  refuses(profileSlug.read, [
    ['https://profiles.example.net/jo', 'no slug can be read from a page of profiles.example.net'],
    ['linkedin.com', 'is not the profile of a person on LinkedIn, which starts with /in/…'],
    ['jo@example.org', 'is an e-mail address, not a profile'],
    ['Jo Citizen', 'contains a space or several values'],
    ['%x', 'is not a web address'],
  ]);
});

describe('a name, a number of a register and a country', () => {
  reads(personName.read, [
    ['  MIA ', 'MIA'],
    ['o’brien', "o'brien"],
  ]);
  reads(fullName.read, [['mia\u00a0 van der TRAN', 'mia van der TRAN']]);
  reads(companyName.read, [["MIA'S  CAFE 24", "MIA'S CAFE 24"]]);
  reads(registerNumber.read, [
    ['sc 123-456', 'SC123456'],
    ['00445790', '00445790'],
  ]);
  reads(country.read, [
    ['nz', 'NZ'],
    ['New  Zealand', 'New Zealand'],
  ]);
  refuses(personName.read, [['jo@acme.org', 'is an address, not a name']]);
  refuses(fullName.read, [['Citizen', 'is one word; a full name has two']]);
  refuses(companyName.read, [['https://acme.org', 'is an address, not a name']]);
  refuses(registerNumber.read, [['0-000-0', 'is not the number of a register']]);
  refuses(country.read, [['61', 'is not a country']]);
});

// -------------------------------------------------------------------------------------------------- properties

const READS = Object.fromEntries(
  Object.entries({
    abn,
    domain,
    website,
    email,
    personProfile,
    companyProfile,
    profileSlug,
    personName,
    fullName,
    companyName,
    registerNumber,
    country,
  }).map(([name, { read }]) => [name, read]),
);

/** Text that gets past the first check of at least one kind far more often than arbitrary text would. */
const nearlyRight = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'HTTP'] }),
  fc.emailAddress(),
  validAbn.map(formatAbn),
  fc.domain(),
  fc.tuple(fc.constantFrom('www.', 'au.', ''), fc.string({ unit: 'grapheme' })).map(([host, path]) => {
    return `${host}linkedin.com/in/${path}`;
  }),
  fc
    .tuple(fc.webUrl(), fc.constantFrom('?utm_source=a&b=%20', ':443/', '#', '//', '/?', '.'))
    .map((parts) => parts.join('')),
  fc.string({ unit: fc.constantFrom(...'.:/?#@%-_[]wW019aé\u0130\u00a0\u200b\ud800') }),
);

describe.each(Object.entries(READS))('%s', (_, read) => {
  test('a cell’s reader makes something of every text, and the same of its own result', () => {
    fc.assert(
      fc.property(nearlyRight, (cell) => {
        const said = read(cell);
        if (said.kind !== 'usable') return;
        expect(read(said.value)).toEqual({ kind: 'usable', value: said.value });
      }),
    );
  });

  test('a cell’s reader does not mind white space around a cell', () => {
    fc.assert(
      fc.property(nearlyRight, fc.constantFrom(' ', '\t', '\n', '\u00a0', '\ufeff'), (cell, space) => {
        expect(read(space + cell + space)).toEqual(read(cell));
      }),
    );
  });

  test.each(['', ' ', '\u00a0\t'])('a cell’s reader says that %j is blank', (cell) => {
    expect(read(cell)).toEqual({ kind: 'blank' });
  });
});
