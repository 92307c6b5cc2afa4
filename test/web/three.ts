import { type Asked, type DeskBefore, deskBefore } from '../cli/desk.ts';
import { agreeToDialects } from '../support/agree.ts';

/** Three accounts with credits of three kinds: in Australian dollars, in US dollars, and without a price. */

const PRICES = { hunter: '0.04 AUD', prospeo: '0.1 USD', leadmagic: undefined } as const;
type Name = keyof typeof PRICES;

const FINDER = {
  method: 'POST',
  path: '/find',
  by: ['first_name+last_name+domain'],
  gives: { email: 'data.email' },
  credits: { most: 1, found: 1 },
};

export const FIND = {
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  operations: { 'find-email': { account: Object.keys(PRICES), add: { Email: 'email' } } },
};

/** People by the account that knows them, such as `hunter1`. */
export const peopleOf = (...names: readonly string[]): string =>
  ['First,Last,Site', ...names.map((name) => `${name},Lee,${name}.example`), ''].join('\n');

/** The three in front of one vendor, where each account has the people of its name. */
export async function openThree(
  answer: (account: string, asked: Asked) => Promise<object | undefined> | object | undefined = answerOf,
): Promise<DeskBefore> {
  const at = await deskBefore((asked) => {
    const [, account = ''] = asked.path.split('/');
    return answer(account, asked);
  });
  const { place } = at.desk;
  const { base_url: url } = JSON.parse(await at.desk.read('config/accounts.yaml')).accounts.data;
  const account = (name: Name) => ({
    ...{ vendor: 'provider', id: name, key: `a-key-of-${name}`, dialect: 'ours.yaml' },
    ...{ base_url: `${url.replace(/\/$/, '')}/${name}`, limits: { per_second: 2_000, concurrency: 1 } },
    ...(PRICES[name] && { price: PRICES[name] }),
  });
  at.speak({ operations: { 'find-email': FINDER } });
  place.writeAccounts({
    hunter: account('hunter'),
    prospeo: account('prospeo'),
    leadmagic: account('leadmagic'),
  });
  await agreeToDialects(place.path('config'));
  await at.desk.write('job.yaml', JSON.stringify(FIND));
  return at;
}

export function answerOf(account: string, { input: { first_name: first = '' } }: Asked): object {
  if (!first.startsWith(account)) return Response.json({ error: 'No match' }, { status: 404 });
  return { data: { email: `${first}@found.example` } };
}

/** The words of a run of a list that is in the folder. */
export const runOf = (name: string, ...more: readonly string[]): readonly string[] => [
  ...['run', 'job.yaml', `${name}.csv`, '-o', `${name}.out.csv`, '--budget', '99', ...more],
];
