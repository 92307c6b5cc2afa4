import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDialectFile } from '../src/client/dialect/file.ts';
import { type Dialect, dialectOperationOf } from '../src/client/dialect.ts';
import provider from '../src/client/dialects/provider.ts';
import { judge } from '../src/client/judge.ts';
import type { Call } from '../src/core/operation.ts';
import { type Judged, judgedServices, judgedVendors } from '../test/client/documented/judged.ts';

/** How the answers that vendors and services publish are read, and how long judging one takes. */

const DIALECTS = join(import.meta.dirname, '..', 'fixtures', 'dialects');

function figures(judged: readonly Judged[]): string {
  const wrong = judged.filter(({ isRight }) => !isRight).length;
  const believed = judged.filter(({ isBelieved }) => isBelieved).length;
  const booked = judged.filter(
    ({ isRight, charged = null, booked }) => isRight && charged !== null && charged !== booked,
  ).length;
  return `${judged.length} answers: ${wrong} wrong, ${believed} believed, ${booked} booked otherwise`;
}

const vendors = new Set(judgedVendors().map(({ vendor = '' }) => vendor));
const shipped = new Map<string, Dialect>();
for (const vendor of vendors) {
  const path = join(DIALECTS, `${vendor}.yaml`);
  if (existsSync(path)) shipped.set(vendor, await readDialectFile(path, provider));
}
const services = judgedServices();
const doubts = services.filter(({ isRight, isBelieved }) => !isRight && !isBelieved).length;

/** A flat answer, judged in turn with being parsed, so that what disturbs the machine disturbs both. */
function timesParsing(): number {
  const call: Call = { ifLost: 'hold', operation: 'enrich-company', parameters: { domain: 'acme.com.au' } };
  const operation = dialectOperationOf(provider, call);
  const fields = Array.from({ length: 20 }, (_, at) => [`field_${at}`, `value ${at}`]);
  const text = JSON.stringify({ name: 'Acme', domain: 'acme.com.au', ...Object.fromEntries(fields) });
  let [judgingMs, parsingMs] = [0, 0];
  for (let round = 0; round < 200; round += 1) {
    const begunMs = performance.now();
    for (let count = 0; count < 100; count += 1) {
      const raw = { status: 200, headers: {}, body: Buffer.from(text), receivedAtMs: 0 };
      judge({ kind: 'answered', raw }, provider, operation, call);
    }
    const judgedMs = performance.now();
    for (let count = 0; count < 100; count += 1) JSON.parse(Buffer.from(text).toString());
    parsingMs += performance.now() - judgedMs;
    judgingMs += judgedMs - begunMs;
  }
  return judgingMs / parsingMs;
}

const lines = [
  `by the built-in dialect, ${figures(judgedVendors())}`,
  `by the vendor's own dialect, ${figures(judgedVendors((vendor) => shipped.get(vendor) ?? provider).filter(({ vendor = '' }) => shipped.has(vendor)))}`,
  `of services, ${services.length} answers: ${services.filter(({ isBelieved }) => isBelieved).length} believed, ${doubts} done, but in doubt`,
  `judging a flat answer takes ${timesParsing().toFixed(1)} times as long as parsing it`,
];
process.stdout.write(`${lines.join('\n')}\n`);
