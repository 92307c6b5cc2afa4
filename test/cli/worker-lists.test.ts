/**
 * Goal: what a run finds out about a whole list holds for workers, who read only their rows of it: rows that are set aside for a
 * host of several companies, and rows that are asked by what tells them apart.
 * Method: the real command over a real server; two workers take the rows of one list.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Host, openHost } from '../faults/database-host.ts';
import { domainsOf } from '../faults/workplace.ts';

/** A range has a thousand rows, so the list has two of them. */
const OTHERS = domainsOf('others', 1_100);

/** @param rows of which the last stands in another range than those before it. */
async function workedOn(rows: readonly string[], job: object): Promise<Host> {
  const host = await openHost();
  const { place } = host;
  const others = OTHERS.map((domain, at) => `Company ${at},,${domain}`);
  const list = ['Company,ABN,Website', ...rows.slice(0, -1), ...others, ...rows.slice(-1)];
  writeFileSync(place.path('list.csv'), `${list.join('\n')}\n`);
  writeFileSync(place.path('job.yaml'), JSON.stringify({ operation: 'enrich-company', ...job }));
  await host.detach({ job: 'job.yaml' });
  host.startWorker();
  host.startWorker();
  await host.ended(rows.length + OTHERS.length);
  return host;
}

const askedBy = ({ place }: Host) =>
  place.vendor.requests().map(({ body: { domain, website, abn } }) => domain ?? website ?? abn);

const PORTAL = [
  'Blue Dental,,portal.example/1',
  'Papa Bakery,,portal.example/2',
  'Oldmill,,portal.example/3',
];

test('workers leave rows aside that a run sets aside, and take them after --accept shared-host', async () => {
  const host = await workedOn(PORTAL, { columns: { website: 'Website' } });
  expect(askedBy(host).toSorted()).toEqual(OTHERS.toSorted());
  const aside = (batch: string) =>
    host.query(`SELECT count(*)::int AS rows FROM rows WHERE state = 'invalid' AND batch ${batch}`);
  expect(await aside("<> ''")).toEqual([{ rows: 3 }]);
  const batch = await host.detach({ job: 'job.yaml', more: ['--accept', 'shared-host'] });
  await host.ended(2 * (PORTAL.length + OTHERS.length));
  expect(askedBy(host).toSorted()).toEqual([...OTHERS, 'portal.example'].toSorted());
  expect(await aside(`= '${batch}'`)).toEqual([{ rows: 0 }]);
});

test('workers ask rows of one domain by the ABNs that tell them apart', async () => {
  const apart = ['One,51824753556,a.example', 'Two,53004085616,a.example', 'One again,51824753556,a.example'];
  const host = await workedOn(apart, {
    columns: { abn: 'ABN', domain: 'Website' },
    waterfall: ['domain', 'abn'],
  });
  expect(askedBy(host).toSorted()).toEqual([...OTHERS, '51824753556', '53004085616'].toSorted());
});
