import { basename, extname } from 'node:path';
import type { Extension } from '../../src/sandbox/vendors.ts';
import { control } from './control.ts';
import { PersonCounts, withRefusedPersons } from './person-counts.ts';
import { restGetProvider } from './rest-get.ts';
import { withLists } from './service-lists.ts';

/**
 * The dialects in which a test's sandbox can be spoken to. Each alters one of the vendors, and the other is as published:
 * `rest-get` the provider, `lists` the service, `provider` neither.
 */
const DIALECTS = ['provider', 'rest-get', 'lists'];

/**
 * What the sandbox of a test has besides that of a user: it can be looked into and tampered with, its book says what
 * happened to each person, and it speaks other dialects.
 * @param named a dialect, or the path of a file that is called so.
 */
export function testExtension(named = 'provider'): Extension {
  const dialect = basename(named, extname(named));
  if (!DIALECTS.includes(dialect)) throw new Error(`The sandbox does not speak "${named}".`);
  const persons = new PersonCounts();
  return {
    ...(dialect === 'rest-get' ? { provider: restGetProvider } : {}),
    service: (published, state) =>
      withRefusedPersons(dialect === 'lists' ? withLists(published, state) : published, state),
    note: (entry) => persons.note(entry),
    control: (vendors, endpoint, body) =>
      endpoint === 'GET /sandbox/book'
        ? { status: 200, body: { ...vendors.book(), changes: persons.all() } }
        : control(vendors, endpoint, body),
  };
}
