/**
 * `npm run sql` lists the statements of the ledger, `npm run sql endAttempts` prints each text of that name for both databases, with values,
 * to be pasted. What writes is taken back. `--json` prints all that there is.
 */
import { parseArgs } from 'node:util';
import { type Recorded, statements } from './recorded.ts';

const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/;

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const found = await statements(positionals);
if (found.length === 0)
  console.error(`Nothing is called ${positionals.join(', ')}; npm run sql lists the names.`);
// A world leaves timers behind.
process.stdout.write(`${told()}\n`, () => process.exit(found.length === 0 ? 2 : 0));

function told(): string {
  if (values.json) return JSON.stringify(found);
  return positionals.length === 0 ? names().join('\n') : found.map(words).join('\n\n');
}

function names(): readonly string[] {
  return [...new Set(found.map(({ name }) => name))].sort();
}

function words({ name, sqlite, postgres, isUnrun }: Recorded): string {
  const head = `-- ${name}${isUnrun ? ', with NULL for values' : ''}`;
  const texts = Object.entries({ SQLite: sqlite, PostgreSQL: postgres });
  const shown = texts.flatMap(([on, text]) => (text === undefined ? [] : [`-- in ${on}:\n${taken(text)}`]));
  return [head, ...shown].join('\n\n');
}

function taken(text: string): string {
  const statement = `${text.trim()};`;
  return WRITES.test(text) ? `BEGIN;\n${statement}\nROLLBACK;` : statement;
}
