import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, type RawRequest, type RawVendor, rawVendor } from '../client/transport/raw-vendor.ts';
import { proof, proofs } from '../combinations.ts';
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

proofs('a vendor of whose answers a byte comes now and then', () => {
  function trickle(socket: Socket): void {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n');
    const timer = setInterval(() => socket.write(' '), 100);
    socket.on('close', () => clearInterval(timer));
  }

  proof('holds a run up for --max-pause and until the timeout, and no longer', async () => {
    const vendor = await rawVendor(trickle);
    await using workplace = await placeBefore(vendor, 8, { concurrency: 2, timeout: '2s' });
    const { code, report, lastLine } = await workplace.run({ more: ['--max-pause', '1s'] });
    expect(code).toBe(75);
    expect(report?.stopped?.message).toMatch(
      /^Nothing could be settled for \d+ s, longer than --max-pause allows \(1 s\): the vendor has not completed its answer to 2 requests\.$/,
    );
    expect(lastLine).toMatch(/^npx --no rowonce run /);
    expect(vendor.requests).toHaveLength(2);
    expect(workplace.ledger().inDoubt).toBe(2);
  });
});

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
