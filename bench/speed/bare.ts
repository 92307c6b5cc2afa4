/** Nothing but requests, whose answers are thrown away: `node bare.ts URL REQUESTS`. No contestant can be faster. */
import { Pool } from 'undici';
import { abn } from '../program.ts';

const [url = '', requests = '0'] = process.argv.slice(2);
const vendor = new Pool(url, { connections: 64 });
const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
let next = 0;
const ask = async (): Promise<void> => {
  while (next < Number(requests)) {
    const body = JSON.stringify({ abn: abn(next++) });
    const answer = await vendor.request({ method: 'POST', path: '/enrich/company', headers, body });
    await answer.body.dump();
  }
};
await Promise.all(Array.from({ length: 64 }, ask));
await vendor.close();
