/**
 * Goal: one company and one person are one call, however a sheet spells them, and what was bought under the spelling of an
 * older version is not bought again.
 * Method: the real commands before the sandbox, whose log says what was asked; into the store are put calls as an older
 * version made them.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../src/core/call-key.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Call } from '../../src/core/operation.ts';
import { type AnswerKind, type BatchId, credits, type Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { type Desk, openDesk } from './desk.ts';

const asked = (desk: Desk): readonly object[] => desk.place.vendor.requests().map(({ body }) => body);

describe('one call', () => {
  test('is a website with http, with https, with neither, with a slash and with an apostrophe before it', async () => {
    const desk = await openDesk();
    const spellings = [
      'http://x.example',
      'x.example',
      'https://x.example/',
      'HTTP://X.example/',
      "'x.example",
    ];
    await desk.write('list.csv', `Website\n${spellings.join('\n')}\n`);
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    const plan = await desk.json(['plan', 'job.yaml', 'list.csv']);
    expect(plan).toMatchObject({ duplicates: 4, to_buy: 1 });
    const run = await desk.json(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    expect(run).toMatchObject({ counts: { matched: 5 }, requests: 1, credits: { spent: 1 } });
    expect(asked(desk)).toEqual([{ website: 'http://x.example' }]);
  });

  test('asks for a website as the first of its rows has written it', async () => {
    const desk = await openDesk({ concurrency: 1 });
    const rows = ['x.example', 'http://x.example', 'http://y.example/Branch?id=1#top', 'https://y.example'];
    await desk.write('list.csv', `Website\n${rows.join('\n')}\n`);
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    const websites = ['https://x.example', 'http://y.example/Branch?id=1', 'https://y.example'];
    expect(asked(desk)).toEqual(websites.map((website) => ({ website })));
    const { attempts } = await desk.json(['status', 'last', '4']);
    expect(attempts[0].parameters).toEqual({ website: websites[1] });
  });

  test('is an e-mail address with and without the apostrophe that marks it as text', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', "Email\n'jo@ex.example\njo@ex.example\no'neil@ex.example\n");
    const run = await desk.json(['run', 'enrich-person', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    expect(run).toMatchObject({ counts: { matched: 3 }, requests: 2 });
    expect(asked(desk)).toEqual(
      expect.arrayContaining([{ email: 'jo@ex.example' }, { email: "o'neil@ex.example" }]),
    );
    // The cell itself comes back as it is.
    expect(await desk.read('out.csv')).toContain("\n'jo@ex.example,");
  });
});

/** A desk whose store an older version has bought with. */
async function openOldDesk(
  put: (store: { ledger: Ledger; batch: BatchId; account: string }) => Promise<void>,
): Promise<Desk> {
  const desk = await openDesk();
  desk.list(1);
  await desk.type(desk.run());
  const options = { clock: systemClock, waitForLockMs: 0, create: false, command: 'test' };
  const ledger = await sqlite.open(desk.place.path('store'), options);
  const [batch] = await ledger.batches();
  if (batch === undefined) throw new Error('a run makes a batch');
  await put({ ledger, batch: batch.id, account: batch.accountIdentity });
  await ledger.close();
  return desk;
}

interface Put {
  readonly ledger: Ledger;
  readonly batch: BatchId;
  readonly account: string;
}

async function admitted({ ledger, batch, account }: Put, call: Call) {
  const intent = { accountIdentity: account, batch, row: 2, reserve: credits(1), atMs: Date.now() };
  const admission = await ledger.admit({ ...intent, key: callKeyOf(account, call), call });
  if (admission.kind !== 'admitted') throw new Error('there is no budget');
  return admission.attempt;
}

async function answered(put: Put, call: Call, answer: AnswerKind, name = ''): Promise<void> {
  const attempt = await admitted(put, call);
  const body = Buffer.from(JSON.stringify(answer === 'found' ? { name } : {}));
  await put.ledger.record(attempt, { status: 200, headers: {}, body, receivedAtMs: Date.now() });
  const charged = credits(answer === 'found' ? 1 : 0);
  await put.ledger.closeAttempt(attempt, { kind: 'settled', answer, charged, why: 'then' }, Date.now());
}

const website = (url: string): Call => ({
  operation: 'enrich-company',
  parameters: { website: url },
  ifLost: 'hold',
});
const email = (address: string): Call => ({
  operation: 'enrich-person',
  parameters: { email: address },
  ifLost: 'hold',
});

/** Those of a later run of the command alone. */
async function requestsOf(
  desk: Desk,
  words: readonly string[],
): Promise<{ requests: readonly object[]; run: object }> {
  const before = asked(desk).length;
  const run = await desk.json(words);
  return { requests: asked(desk).slice(before), run };
}

describe('what an older version bought', () => {
  test('a website with http: found or not, it is known in every spelling, to the plan, the run and the output', async () => {
    const desk = await openOldDesk(async (put) => {
      await answered(put, website('http://known.example'), 'found', 'Known Pty Ltd');
      await answered(put, website('http://known.example/branch?id=1'), 'found', 'Known Branch');
      await answered(put, website('http://nobody.example'), 'no_match');
    });
    const rows = ['known.example', 'http://known.example/branch?id=1', 'nobody.example', 'new.example'];
    await desk.write('old.csv', `Website\n${rows.join('\n')}\n`);
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\nadd: { found: name }\n');
    expect(await desk.json(['plan', 'job.yaml', 'old.csv'])).toMatchObject({
      bought_before: 3,
      to_buy: 1,
      credits: { most: 1 },
    });
    const words = ['run', 'job.yaml', 'old.csv', '--budget', '1', '-o', 'old-out.csv'];
    const { requests, run } = await requestsOf(desk, words);
    expect(requests).toEqual([{ website: 'https://new.example' }]);
    expect(run).toMatchObject({ counts: { matched: 3, no_match: 1 }, credits: { spent: 1, saved: 2 } });
    const shown = desk.place.rows('old-out.csv').map(({ found, _source }) => [found, _source]);
    expect(shown.slice(0, 3)).toEqual([
      ['Known Pty Ltd', 'ledger'],
      ['Known Branch', 'ledger'],
      ['', 'ledger'],
    ]);
    expect(desk.place.rows('old-out.csv')[3]?._source).toBe('bought');
  });

  test('a website that the cell writes with http: is known by the https: with which it was asked for', async () => {
    const desk = await openOldDesk(async (put) => {
      await answered(put, website('https://known.example'), 'found', 'Known Pty Ltd');
      await answered(put, website('https://nobody.example'), 'no_match');
    });
    await desk.write('old.csv', 'Website\nhttp://known.example/\nhttp://nobody.example\n');
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    expect(await desk.json(['plan', 'job.yaml', 'old.csv'])).toMatchObject({ bought_before: 2, to_buy: 0 });
    const words = ['run', 'job.yaml', 'old.csv', '--budget', '9', '-o', 'old-out.csv'];
    expect((await requestsOf(desk, words)).requests).toEqual([]);
    const { requests } = await requestsOf(desk, [...words, '--refresh']);
    expect(requests).toEqual(
      expect.arrayContaining([{ website: 'http://known.example' }, { website: 'http://nobody.example' }]),
    );
  });

  test('an address with an apostrophe: whoever was found is not bought again; a refusal of it says nothing of the address', async () => {
    const desk = await openOldDesk(async (put) => {
      await answered(put, email("'jo@ex.example"), 'found', 'Jo');
      await answered(put, email("'flo@ex.example"), 'refused');
      await answered(put, email("'bo@ex.example"), 'no_match');
    });
    await desk.write('old.csv', "Email\n'jo@ex.example\n'flo@ex.example\nbo@ex.example\n");
    expect(await desk.json(['plan', 'enrich-person', 'old.csv'])).toMatchObject({
      bought_before: 1,
      to_buy: 2,
    });
    const words = ['run', 'enrich-person', 'old.csv', '--budget', '9', '-o', 'old-out.csv'];
    const { requests, run } = await requestsOf(desk, words);
    expect(requests).toHaveLength(2);
    expect(requests).toEqual(
      expect.arrayContaining([{ email: 'flo@ex.example' }, { email: 'bo@ex.example' }]),
    );
    expect(run).toMatchObject({ counts: { matched: 3 } });
    expect(desk.place.rows('old-out.csv')[0]?._source).toBe('ledger');
  });

  test('a lost answer is in doubt in the new spelling, too, and what a person says of it settles it', async () => {
    const desk = await openOldDesk(async (put) => {
      const attempt = await admitted(put, website('http://lost.example'));
      await put.ledger.closeAttempt(attempt, { kind: 'in_doubt', why: 'no answer came' }, Date.now());
    });
    await desk.write('old.csv', 'Website\nlost.example\n');
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    const words = ['run', 'job.yaml', 'old.csv', '--budget', '9', '-o', 'old-out.csv'];
    expect(await desk.json(['plan', 'job.yaml', 'old.csv'])).toMatchObject({ to_buy: 0 });
    const held = await requestsOf(desk, words);
    expect(held).toMatchObject({ requests: [], run: { counts: { in_doubt: 1 } } });
    expect((await desk.type(['settle', 'last', '--retry', '--extra-credits', '1'])).code).toBe(0);
    const settled = await requestsOf(desk, words);
    expect(settled).toMatchObject({
      requests: [{ website: 'http://lost.example' }],
      run: { counts: { matched: 1 } },
    });
  });

  test('an answer that is too old is bought anew as it is asked now, once', async () => {
    const desk = await openOldDesk(async (put) => {
      await answered(put, website('http://known.example'), 'found', 'Known Pty Ltd');
    });
    await desk.write('old.csv', 'Website\nknown.example\n');
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    const words = ['run', 'job.yaml', 'old.csv', '--budget', '9', '-o', 'old-out.csv'];
    expect((await requestsOf(desk, words)).requests).toEqual([]);
    const refreshed = await requestsOf(desk, [...words, '--refresh']);
    expect(refreshed.requests).toEqual([{ website: 'https://known.example' }]);
    expect((await requestsOf(desk, words)).requests).toEqual([]);
    expect(readFileSync(desk.place.path('old-out.csv'), 'utf8')).toContain('(sandbox)');
  });

  test('an answer that turns out to be none is bought again as it is asked now, where that was agreed to', async () => {
    const desk = await openOldDesk(async (put) => {
      await answered(put, website('http://known.example'), 'found', 'Known Pty Ltd');
    });
    await desk.write('old.csv', 'Website\nknown.example\n');
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    const none = { status: [200], body: { path: 'name', equals: 'Known Pty Ltd' }, means: 'rate_limited' };
    desk.place.writeDialect({ answers: [none] });
    desk.place.writeAccount(desk.place.vendor.url, { dialect: 'dialect.yaml' });
    const words = ['run', 'job.yaml', 'old.csv', '--budget', '9', '-o', 'old-out.csv'];
    const held = await requestsOf(desk, words);
    expect(held).toMatchObject({ requests: [], run: { counts: { in_doubt: 1 } } });
    const agreed = await requestsOf(desk, [...words, '--yes']);
    expect(agreed).toMatchObject({
      requests: [{ website: 'https://known.example' }],
      run: { counts: { matched: 1 } },
    });
    expect((await requestsOf(desk, [...words, '--yes'])).requests).toEqual([]);
  });
});
