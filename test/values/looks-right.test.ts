/**
 * Goal: a cell is taken for what it is by itself, and for nothing else, because what a column holds is guessed from it.
 * Method: cells as they stand in real lists, each with all that it is.
 */
import { expect, test } from 'vitest';
import { email } from '../../src/values/email.ts';
import { abn } from '../../src/values/number.ts';
import { companyProfile, personProfile } from '../../src/values/profile.ts';
import { domain, website } from '../../src/values/website.ts';

const kindsOf = (cell: string): readonly string[] =>
  Object.entries({
    Abn: abn,
    Email: email,
    Domain: domain,
    Website: website,
    CompanyProfile: companyProfile,
    PersonProfile: personProfile,
  }).flatMap(([name, { looksRight }]) => (looksRight(cell) ? [name] : []));

test.each<[string, ...string[]]>([
  ['51824753556', 'Abn'],
  ['51 824 753 556', 'Abn'],
  ['ABN: 51-824-753-556', 'Abn'],
  ['５１８２４７５３５５６', 'Abn'],
  ['51824753557'],
  ['0412 345 678'],
  ['5182475355'],
  ['jo@acme.example', 'Email'],
  [' JO@ACME.EXAMPLE ', 'Email'],
  ['jo@acme'],
  ['ask jo@acme.example'],
  ['acme.example', 'Domain', 'Website'],
  ['www.acme.example', 'Domain', 'Website'],
  ['https://acme.example', 'Website'],
  ['https://acme.example/about', 'Website'],
  ['acme.example/about', 'Website'],
  ['acme.com.au.', 'Domain', 'Website'],
  ['acme.consulting', 'Domain', 'Website'],
  ['https://acme.zip', 'Website'],
  ['www.acme.zip', 'Domain', 'Website'],
  // No domain ends so.
  ['https://acme.pdf'],
  ['www.acme.pdf'],
  ['report.pdf'],
  ['jo.citizen'],
  ['J.Smith/Brown'],
  ['gmail.com'],
  ['https://www.facebook.com/acme'],
  ['https://www.linkedin.com/company/acme', 'CompanyProfile'],
  ['au.linkedin.com/school/acme/', 'CompanyProfile'],
  ['https://linkedin.com/in/jo-citizen?trk=x', 'PersonProfile'],
  ['https://www.linkedin.com/feed/'],
  ['jo-citizen'],
  ['12.50'],
  ['10.0.0.1'],
  ['Acme Pty. Ltd.'],
  ['e.g.'],
  [''],
  ['   '],
])('%j: %j %j', (cell, ...kinds) => {
  expect(kindsOf(cell).toSorted()).toEqual(kinds.toSorted());
});
