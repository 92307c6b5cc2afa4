import { basename, extname } from 'node:path';
import type { Knowledge } from '../../src/sandbox/provider.ts';
import { publishedProvider } from '../../src/sandbox/provider.ts';
import type { ServiceState } from '../../src/sandbox/service.ts';
import type { Extension } from '../../src/sandbox/vendors.ts';
import { apiCalls } from './api-call.ts';
import { control } from './control.ts';
import { checker, finderPaidForMisses, finderProvider, laterFinder } from './finder.ts';
import { KeyedAnswers } from './keyed-answers.ts';
import { OWN_CALLS } from './own-calls.ts';
import { PersonCounts, refusedPerson } from './person-counts.ts';
import { notesIn } from './request-log.ts';
import { restGetProvider } from './rest-get.ts';
import { addOwner, ownerGuarded, withLists } from './service-lists.ts';
import { Tampering } from './tampering.ts';

/**
 * The dialects in which a test's sandbox can be spoken to. Each alters one of the vendors, and the other is as published:
 * `lists` the service, those of `PROVIDERS` the provider, `provider` neither.
 */
const PROVIDERS = new Map([
  ['rest-get', restGetProvider],
  ['finder', finderProvider],
  ['paid-misses', finderPaidForMisses],
  ['later-finder', laterFinder],
  ['checker', checker],
]);
const DIALECTS = ['provider', 'lists', ...PROVIDERS.keys()];

/**
 * What the sandbox of a test has besides that of a user: it can be looked into and tampered with, its book says what
 * happened to each person, it honours idempotency keys, and it speaks other dialects.
 * @param named a dialect, or the path of a file that is called so.
 * @param logPath where each request is noted.
 */
export function testExtension(named = 'provider', logPath?: string): Extension {
  const dialect = basename(named, extname(named));
  if (!DIALECTS.includes(dialect)) throw new Error(`The sandbox does not speak "${named}".`);
  const hasLists = dialect === 'lists';
  const persons = new PersonCounts();
  const keyed = new KeyedAnswers();
  const tampering = new Tampering();
  let service: ServiceState | undefined;
  return {
    ...(logPath === undefined ? {} : { exchanged: notesIn(logPath) }),
    translator: apiCalls,
    provider(knowledge: Knowledge) {
      const { operations, tooMany } = (PROVIDERS.get(dialect) ?? publishedProvider)(knowledge);
      return { operations: tampering.guarded([...operations, ...OWN_CALLS, keyed.readBack()]), tooMany };
    },
    service(published, state) {
      service = state;
      return tampering.guarded(hasLists ? ownerGuarded(withLists(published, state), state) : published);
    },
    note(entry, state) {
      keyed.note(entry);
      tampering.note(entry);
      persons.note(entry);
      if (hasLists) addOwner(entry, state, persons);
    },
    answer: (admitted, received) => keyed.answer(admitted, received),
    more(admitted, received, decision) {
      const more = {
        ...keyed.more(admitted, received, decision),
        ...tampering.more(admitted, received, decision),
        ...refusedPerson(admitted, received, decision, service),
      };
      return Object.keys(more).length === 0 ? undefined : more;
    },
    control: (vendors, endpoint, body) =>
      endpoint === 'GET /sandbox/book'
        ? { status: 200, body: { ...vendors.book(), changes: persons.all() } }
        : control(vendors, tampering, endpoint, body),
  };
}
