import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDialectFile } from '../src/client/dialect/file.ts';
import type { Dialect } from '../src/client/dialect.ts';
import provider from '../src/client/dialects/provider.ts';
import { describeOperations } from '../src/core/families.ts';
import { type Judged, judgedServices, judgedVendors } from '../test/client/documented/judged.ts';
import { judgingBesideParsing } from './parts.ts';

/** How the answers that vendors and services publish are read, and how long judging one takes. */

await describeOperations();

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

const lines = [
  `by the built-in dialect, ${figures(judgedVendors())}`,
  `by the vendor's own dialect, ${figures(judgedVendors((vendor) => shipped.get(vendor) ?? provider).filter(({ vendor = '' }) => shipped.has(vendor)))}`,
  `of services, ${services.length} answers: ${services.filter(({ isBelieved }) => isBelieved).length} believed, ${doubts} done, but in doubt`,
  ...judgingBesideParsing(),
];
process.stdout.write(`${lines.join('\n')}\n`);
