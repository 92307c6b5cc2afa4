/**
 * Goal: a line of curl from a vendor's page becomes a dialect that asks as the vendor's page does, and as the dialect does that
 * a person has written for it. A key in the line is in no part of what is proposed.
 * Method: lines of public references, and the requests of both dialects for one and the same question.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dialectOfValue, readShippedDialect } from '../../src/client/dialect/file.ts';
import { type Dialect, dialectOperationOf } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { judge } from '../../src/client/judge.ts';
import {
  draftOf,
  exampleProblem,
  foundIn,
  type Heard,
  proposalFrom,
  requestInCurl,
  trialDialect,
} from '../../src/client/proposal.ts';
import { requestOf, sentOf } from '../../src/client/request.ts';
import type { Call } from '../../src/core/operation.ts';
import { CURL_LINES } from './documented/curl-lines.ts';
import { documentedAnswers } from './documented/judged.ts';

const SHIPPED = join(import.meta.dirname, '..', '..', 'fixtures', 'dialects');

const KEY = 'key-of-the-user';

function asks(dialect: Dialect, operation: string, parameters: Readonly<Record<string, string>>) {
  const call: Call = { operation, parameters, ifLost: 'hold' };
  const secrets = { secret: 'second-secret', user: 'name-of-the-user' };
  const request = requestOf(dialect, '', call, { key: KEY, idempotency_key: 'i', secrets });
  const { path, body } = sentOf(request);
  const url = new URL(path, 'https://vendor.example');
  return {
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: body === undefined ? undefined : JSON.parse(body.toString()),
  };
}

function proposed(line: string) {
  const draft = draftOf(requestInCurl(line));
  return { draft, dialect: dialectOfValue(trialDialect(draft, 'proposed', 1), provider) };
}

test.each(CURL_LINES)(
  'the line of $vendor becomes a dialect that asks as the shipped one does ($operation)',
  async ({ line, dialect: word, operation, by, asked, askedBoth }) => {
    const { draft, dialect } = proposed(line);
    expect(draft).toMatchObject({ operation, given: asked });
    expect(draft.entry.by).toEqual(by);
    const shipped = await readShippedDialect(join(SHIPPED, `${word}.yaml`), provider);
    const inputs = askedBoth ?? (draft.entry.by[0] ?? '').split('+');
    const parameters = Object.fromEntries(inputs.map((input) => [input, asked[input] ?? '']));
    expect(asks(dialect, operation, parameters)).toEqual(asks(shipped, operation, parameters));
  },
);

const OPERATIONS = ['find-email', 'find-phone', 'check-email', 'enrich-person', 'enrich-company'];

type Documented = ReturnType<typeof documentedAnswers>[number];

const heardIn = ({ operation, asked, status, headers = {}, body }: Documented): Heard => ({
  given: Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)])),
  call: { operation, parameters: asked, ifLost: 'hold' },
  reply: { status, headers, body: Buffer.from(body), receivedAtMs: 0 },
});

/** One answer of a vendor that has what is looked for, and one that has not; a check has a verdict in both. */
const PAIRS = [...Map.groupBy(documentedAnswers(), ({ vendor, operation }) => `${vendor} ${operation}`)]
  .map(([name, answers]) => {
    const isCheck = name.includes('check-');
    const [found, other] = answers.filter(
      (each) =>
        each.wanted === 'found' &&
        each.also.length === 0 &&
        Object.keys(foundIn(each.operation, heardIn(each))).length > 0,
    );
    return {
      name,
      answers,
      found,
      miss: isCheck ? other : answers.find(({ wanted }) => wanted === 'no_match'),
    };
  })
  .filter(({ answers, found, miss }) => found && miss && OPERATIONS.includes(answers[0]?.operation ?? ''))
  // What is taken by an id is the second call of two, which a line does not show.
  .filter(({ found }) => !('id' in (found?.asked ?? {})));

/** What two other answers cannot show: a masked address, an error in XML, and an address that the vendor calls undeliverable. */
const UNSHOWN = ['apollo enrich-person', 'abr enrich-company', 'bettercontact find-email', 'snov find-email'];

test.each(PAIRS)(
  'two answers of $name propose a dialect that reads them, their examples and its other misses',
  async ({ name, answers, found, miss }) => {
    if (found === undefined || miss === undefined) return expect.unreachable();
    const { operation } = found;
    const known = heardIn(found);
    const entry = {
      method: 'POST',
      path: '/x',
      by: [Object.keys(known.given).join('+')],
      fields: {},
      body: {},
    } as const;
    const draft = {
      origin: 'https://api.vendor.example',
      operation,
      headers: {},
      key: undefined,
      auth: undefined,
      slots: {},
      entry,
      given: {},
      missing: [],
      remainingNames: [],
      notes: [],
    };
    const proposal = await proposalFrom(
      { draft, name: 'proposed', most: 1, later: undefined },
      known,
      heardIn(miss),
    );
    const isCheck = operation === 'check-email';
    expect(proposal).toMatchObject({ found: 'found', missed: isCheck ? 'found' : 'no_match' });
    const dialect = dialectOfValue(proposal.dialect, provider);
    expect(dialect.examples).toHaveLength(2);
    for (const example of dialect.examples ?? []) expect(exampleProblem(dialect, example)).toBeUndefined();
    const texts = JSON.stringify(dialect.examples?.[0]);
    for (const told of ['mia.tran', 'Mia Tran', 'Tran"', '55500101']) expect(texts).not.toContain(told);
    const believed = answers.filter((each) => {
      const { call, reply } = heardIn(each);
      const verdict = judge(
        { kind: 'answered', raw: reply },
        dialect,
        dialectOperationOf(dialect, call),
        call,
      );
      return each.wanted === 'no_match' && verdict.kind === 'answered' && verdict.answer === 'found';
    });
    if (!UNSHOWN.includes(name)) expect(believed).toEqual([]);
  },
);

test('most vendors whose answers are documented are among them', () => {
  expect(PAIRS.length).toBeGreaterThanOrEqual(40);
});

test.each(['YOUR_APP_ID', '7f3a-real-id'])(
  'the id of an app in a header is a slot, and stands in nothing that is shown: %s',
  (id) => {
    const line = `curl https://api.vendor.example/v1/person?email=jo@acme.example -H "x-api-key: KEY" -H "x-app-id: ${id}"`;
    const { key: _, slots, ...proposed } = draftOf(requestInCurl(line));
    expect(Object.keys(slots)).toEqual(['app_id']);
    expect(JSON.stringify(proposed)).not.toContain(id);
  },
);

test('a line with a name and a password has a slot for the name, and takes neither into what it proposes', () => {
  const line =
    "curl -X GET 'https://lookups.twilio.com/v2/PhoneNumbers/+61255500101?Fields=line_type_intelligence' -u AC0123:token-9";
  const draft = draftOf(requestInCurl(line));
  expect(draft).toMatchObject({
    operation: 'check-phone',
    auth: { basic: ['user', 'key'] },
    key: 'token-9',
    slots: { user: 'AC0123' },
    entry: { path: '/v2/PhoneNumbers/{phone}?Fields=line_type_intelligence', by: ['phone'] },
    given: { phone: '+61255500101' },
  });
  const { key: _, slots: _slots, ...proposed } = draft;
  expect(JSON.stringify(proposed)).not.toMatch(/AC0123|token-9/);
});
