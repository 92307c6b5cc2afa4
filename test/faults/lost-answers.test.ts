/**
 * Goal: whatever a vendor does on the wire, a run ends, no row shows what was said to another, what may have been charged is said to be in
 * doubt, and no vendor can charge for more than one answer above what a budget allows (protocol, rules 7, 9, 11 and 14). What becomes of a
 * call in doubt is the job's decision, kept to exactly and paid for within its limit (rule 10).
 * Method: the real command before a vendor that says bytes on raw sockets, and before the sandbox, which charges and breaks its answers off.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, type RawRequest, type RawVendor, rawVendor } from '../client/transport/raw-vendor.ts';
import { domainsOf, Workplace } from './workplace.ts';

const domainIn = ({ body }: RawRequest): string => String(JSON.parse(body).domain);

/** A list of as many domains before that vendor. */
async function placeBefore(
  vendor: RawVendor,
  rows: number,
  limits: object,
  dialect: object = { vendor: 'provider' },
): Promise<Workplace> {
  const workplace = await Workplace.open();
  workplace.writeDialect(dialect);
  workplace.writeAccount(vendor.origin, {
    limits: { per_second: 2_000, ...limits },
    dialect: './dialect.yaml',
  });
  workplace.writeList(domainsOf('wire', rows));
  return workplace;
}

test('answers are unpacked whatever their packing is called, read with every digit, and else in doubt', async () => {
  const vendor = await rawVendor((socket, request) => {
    const fields = `\uFEFF{"name":"${domainIn(request)}","id":12345678901234567891,"size":1e999,"rating":4.50}`;
    const isOdd = domainIn(request) === domainsOf('wire', 3)[2];
    socket.write(
      isOdd
        ? answer(fields, { 'Content-Encoding': 'toString' })
        : answer(gzipSync(fields), { 'Content-Encoding': 'GZIP' }),
    );
  });
  await using workplace = await placeBefore(vendor, 3, { concurrency: 1 });
  expect(await workplace.runHere()).toMatchObject({
    code: 3,
    report: { counts: { matched: 2, in_doubt: 1 } },
  });
  const domains = domainsOf('wire', 3);
  const found = { id: '12345678901234567891', size: '1e999', rating: '4.5', _status: 'matched' };
  expect(workplace.rows()).toMatchObject([
    { found_name: domains[0], ...found },
    { found_name: domains[1], ...found },
    { found_name: '', id: '', _status: 'in_doubt', _reason: expect.stringContaining('packed as tostring') },
  ]);
});

test('one answer that is dearer than anybody thought is the only one, and its price is reserved from then on', async () => {
  const vendor = await rawVendor((socket) =>
    socket.write(answer('{"name":"Found"}', { 'x-credits-charged': '5468' })),
  );
  const stated = { vendor: 'provider', credits_charged: { header: 'x-credits-charged' } };
  await using workplace = await placeBefore(vendor, 80, { concurrency: 64 }, stated);
  expect(await workplace.runHere({ budget: 100 })).toMatchObject({
    code: 4,
    report: { credits: { spent: 5_468 }, stopped: { code: 'dearer' } },
  });
  expect(vendor.requests).toHaveLength(1);
  expect(await workplace.runHere({ budget: 100 })).toMatchObject({ code: 4, report: { requests: 0 } });
  expect(await workplace.runHere({ budget: 20_000 })).toMatchObject({
    code: 4,
    report: { requests: 2, credits: { spent: 3 * 5_468 }, stopped: { code: 'budget' } },
  });
});

const LOST: Readonly<Record<string, RegExp>> = {
  reset: /no answer came/,
  truncate: /status 200 broke off/,
  garbage: /status 200, "<html>Bad gat"/,
  huge: /larger than 4 MiB/,
  bomb: /the packed answer cannot be read/,
  500: /status 500/,
};

test('a lost answer leaves its row in doubt, with the reason and the credit at risk, and is not asked again by itself', async () => {
  // One at a time, so that each row meets its fault. A refusal among them, because five losses in a row are a reason to wait.
  const names = Object.keys(LOST).toSpliced(3, 0, '422');
  const faults = names.map((name) => `${name === '422' ? '' : 'charged-'}${name}:x1`).join(',');
  await using workplace = await Workplace.open({ concurrency: 1, faults });
  workplace.writeList(names.map((name) => `${name}.example`));
  const lost = Object.keys(LOST).length;
  expect(await workplace.runHere()).toMatchObject({
    code: 3,
    report: { stopped: null, requests: lost + 1, credits: { spent: 0, in_doubt: lost } },
  });
  expect((await workplace.vendor.book()).credits).toBe(lost);
  const rows = workplace.rows();
  for (const [fault, reason] of Object.entries(LOST)) {
    const row = rows.find(({ Domain }) => Domain === `${fault}.example`);
    expect(row).toMatchObject({ _status: 'in_doubt', _credits: '0' });
    expect(row?._reason).toMatch(/^in doubt since .*, 1 credit at risk: /);
    expect(row?._reason).toMatch(reason);
  }
  await workplace.vendor.setFaults();
  expect(await workplace.runHere()).toMatchObject({ code: 3, report: { requests: 0 } });
  expect(workplace.rows()).toEqual(rows);
});

// ------------------------------------------------------------------------------------------------ policies

const LOST_THREE = 'charged-reset:x1,422:x1,charged-500:x1,422:x1,charged-cut:x1';

/** The rows that meet the losses. */
const LOSING = domainsOf('policy', 8);
const IN_DOUBT = ['in_doubt', 'refused', 'in_doubt', 'refused', 'in_doubt', 'matched', 'matched', 'matched'];

/** The same account, columns and waterfall as the plain operation, so the same batch, with another policy. */
const JOB = { job: 'policy.yaml' };

/** The first run went by the name of the operation, so that it held; `JOB` then decides. */
async function doubtfulWorkplace(policy: string): Promise<Workplace> {
  const workplace = await Workplace.open({ concurrency: 1, faults: LOST_THREE });
  workplace.writeList(LOSING);
  writeFileSync(workplace.path(JOB.job), `operation: enrich-company\nin_doubt: ${policy}\n`);
  await workplace.runHere();
  expect(workplace.statuses()).toEqual(IN_DOUBT);
  return workplace;
}

describe.concurrent('calls in doubt', () => {
  test('skip: their rows end as skipped, say so, and are not asked again', async () => {
    await using workplace = await doubtfulWorkplace('skip');
    expect(await workplace.runHere(JOB)).toMatchObject({
      code: 3,
      report: { requests: 0, counts: { skipped: 3, refused: 2 } },
    });
    expect(workplace.rows()[0]).toMatchObject({
      _status: 'skipped',
      _reason: expect.stringMatching(/^skipped, the job says in_doubt: skip: no answer came/),
    });
    // The doubt belongs to the call, the decision to the batch: another list still sees the doubt.
    workplace.writeList(LOSING.slice(0, 1), 'other.csv');
    await workplace.runHere({ input: 'other.csv', output: 'other-out.csv' });
    expect(workplace.statuses('other-out.csv')).toEqual(['in_doubt']);
  });

  test('retry: as many are sent again as the extra credits cover, and no more in any later run', async () => {
    await using workplace = await doubtfulWorkplace('{ retry: { extra_credits: 2 } }');
    for (const requests of [2, 0, 0]) {
      expect(await workplace.runHere(JOB)).toMatchObject({
        code: 3,
        report: { requests, credits: { spent: 5, in_doubt: 3 } },
      });
    }
    expect(workplace.statuses().filter((status) => status === 'in_doubt')).toHaveLength(1);
    const book = await workplace.vendor.book();
    expect(book.charged_twice, 'two are paid for twice, as the job allows').toHaveLength(2);
    expect(book.credits).toBe(3 + 3 + 2);
  });

  test('retry: what is lost again is sent no third time, though the extra credits would do, and its row says so', async () => {
    await using workplace = await doubtfulWorkplace('{ retry: { extra_credits: 9 } }');
    await workplace.vendor.setFaults('charged-reset:x3');
    for (const requests of [3, 0])
      expect(await workplace.runHere(JOB)).toMatchObject({ code: 3, report: { requests } });
    expect(workplace.statuses()).toEqual(IN_DOUBT);
    expect(workplace.rows()[0]?._reason).toMatch(/; the job sent it again, and that answer was lost too$/);
    expect((await workplace.vendor.book()).credits).toBe(6 + 3);
  });
});
