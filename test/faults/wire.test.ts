import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, type RawRequest, type RawVendor, rawVendor } from '../client/transport/raw-vendor.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: whatever a vendor does on the wire, a run ends, no row shows what was said to another, and no vendor can charge
 * for more than one answer above what a budget allows (protocol, rules 7, 9, 11 and 14).
 * Method: the real command before a vendor that says bytes on raw sockets.
 */

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

describe('where answers say what they cost', () => {
  const STATED = { vendor: 'provider', credits_charged: { header: 'x-credits-charged' } };
  const found = (price: number): Buffer => answer('{"name":"Found"}', { 'x-credits-charged': String(price) });

  test('one that is dearer than anybody thought is the only one, and its price is reserved from then on', async () => {
    const vendor = await rawVendor((socket) => socket.write(found(5_468)));
    await using workplace = await placeBefore(vendor, 80, { concurrency: 64 }, STATED);
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
});
