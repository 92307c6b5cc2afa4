/** What a user has in the folder: accounts, jobs and lists. */
import type { Stage } from './stage.ts';

export const JOB = `operation: enrich-company
account: data
columns: { abn: ABN, website: Site }
waterfall: [abn, domain]
add: { employees: employee_count }
`;

export function writeAccounts(stage: Stage, more: object = {}): void {
  const data = {
    vendor: 'provider',
    base_url: 'http://127.0.0.1:9',
    key_env: 'DATA_KEY',
    limits: { per_second: 50, concurrency: 4 },
    ...more,
  };
  stage.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
}

const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** The ABN of a company that is known by a number: its last nine digits follow from the number, and the first two make the checksum right. */
export function abnOf(company: number): string {
  const tail = String(7919 * company + 13).padStart(9, '0');
  for (let lead = 10; lead < 100; lead += 1) {
    const digits = [...`${lead - 10}`.padStart(2, '0'), ...tail].map(Number);
    const sum = WEIGHTS.reduce((total, weight, at) => total + weight * (digits[at] ?? 0), 0);
    if (sum % 89 === 0) return `${lead}${tail}`;
  }
  throw new Error(`no ABN ends with ${tail}`);
}

/** Some companies share a site. */
export const companyRow = (company: number): string =>
  `${abnOf(company)},https://s${company % 5}.example.com\n`;
