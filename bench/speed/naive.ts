/** The script that somebody would write instead: `node naive.ts URL LIST OUTPUT`. What it paid for is gone when it ends early. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import PQueue from 'p-queue';
import { Pool } from 'undici';

const [url = '', list = '', output = ''] = process.argv.slice(2);
const vendor = new Pool(url, { connections: 64 });
const queue = new PQueue({ concurrency: 64 });
const sheet = stringify({ header: true });
const written = pipeline(sheet, createWriteStream(output));
const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
for await (const row of createReadStream(list).pipe(parse({ columns: true }))) {
  await queue.onSizeLessThan(64);
  queue.add(async () => {
    const body = JSON.stringify({ abn: row.ABN });
    const answer = await vendor.request({ method: 'POST', path: '/enrich/company', headers, body });
    const { employee_count, industry, founded_year, location } = (await answer.body.json()) as Company;
    sheet.write({ ...row, employee_count, industry, founded_year, city: location.city });
  });
}
await queue.onIdle();
sheet.end();
await written;
await vendor.close();

interface Company {
  readonly employee_count: number;
  readonly industry: string;
  readonly founded_year: number;
  readonly location: { readonly city: string };
}
