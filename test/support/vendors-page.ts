/** The table of docs/reference/vendors.md: what the shipped dialects say of their vendors, and what `fixtures/vendors.yaml` says besides. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readDialectFile } from '../../src/client/dialect/file.ts';
import type { Dialect, DialectOperation } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { describedCall } from '../../src/core/described.ts';
import { code, table } from './reference.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const DIALECTS = join(FIXTURES, 'dialects');

const vendors = z.array(
  z.strictObject({
    dialects: z.array(z.string()),
    use: z.enum(['wholly', 'in part', 'not yet']),
    answers: z.enum(['at once', 'at once or later', 'later', 'in two steps']).default('at once'),
    misses: z.enum(['no', 'not told']).default('no'),
    source: z.string(),
    says: z.string().default(''),
  }),
);

export async function vendorParts(): Promise<Readonly<Record<string, string>>> {
  const known = vendors.parse(read('vendors.yaml'));
  const named = known.flatMap(({ dialects }) => dialects.map((name) => `${name}.yaml`));
  const shipped = readdirSync(DIALECTS);
  if (String(named.sort()) !== String(shipped.sort()))
    throw new Error(`fixtures/vendors.yaml names ${named}, and fixtures/dialects has ${shipped}`);
  const rows = await Promise.all(
    known.map(async ({ dialects, use, answers, misses, says }) => {
      const spoken = await Promise.all(dialects.map(spokenBy));
      const links = dialects.map((each) => `[${each}](../../fixtures/dialects/${each}.yaml)`);
      const title = spoken[0]?.title ?? '';
      const priced = [...new Set(spoken.flatMap((each) => each.priced))];
      const notes = [
        // What is missing stands in the note.
        use === 'wholly' || says !== '' ? '' : `Usable ${use}.`,
        answers === 'at once' ? '' : `Answers ${answers}.`,
        noMatchWords(priced, misses),
        says,
      ];
      return [
        `${isSaid(title, dialects) ? '' : `${title}: `}${links.join(', ')}`,
        spoken.flatMap(({ asked }) => grouped(asked)).join('<br>'),
        notes.filter((note) => note !== '').join(' '),
      ];
    }),
  );
  return { vendors: table(['dialect', 'looks up, and by what', 'note'], rows) };
}

function noMatchWords(priced: readonly string[], misses: 'no' | 'not told'): string {
  if (priced.length > 0) return `No match costs ${priced.join(', ')}.`;
  return misses === 'no' ? '' : 'No match: price unstated.';
}

/** Whether the word of the dialect is the name of the vendor. */
const isSaid = (title: string, [name]: readonly string[]): boolean =>
  title.toLowerCase().replaceAll(/[^a-z]/g, '') === name;

/** Operations that are asked by the same stand together. */
function grouped(asked: readonly Asked[]): readonly string[] {
  const byWhat = Map.groupBy(asked, ({ by }) => by);
  return [...byWhat].map(([by, all]) => `${all.map(({ name }) => code(name)).join(', ')}: ${by}`);
}

const read = (path: string): unknown => parse(readFileSync(join(FIXTURES, path), 'utf8'));

interface Asked {
  readonly name: string;
  readonly by: string;
}

const ofFile = z.object({ operations: z.record(z.string(), z.unknown()) });

async function spokenBy(name: string) {
  const dialect = await readDialectFile(join(DIALECTS, `${name}.yaml`), provider);
  const own = Object.keys(ofFile.parse(read(join('dialects', `${name}.yaml`))).operations);
  const operations = own.flatMap((each) => {
    const operation = dialect.operations[each];
    return operation === undefined ? [] : [[each, operation] as const];
  });
  return {
    title: dialect.title,
    asked: operations.map(([name, operation]) => ({ name, by: askedBy(name, operation) })),
    priced: operations.flatMap(([each, operation]) => missOf(each, operation, dialect)),
  };
}

/** Without `by` by each parameter for which the vendor has a field, one after the other; a search has all of them at once. */
function askedBy(name: string, { by, fields = {} }: DialectOperation): string {
  if (by !== undefined) return by.join(', ');
  const parameters = (describedCall(name).parameters ?? []).filter((each) => fields[each] !== null);
  return parameters.join(name === 'search-people' ? '+' : ', then ');
}

function missOf(name: string, { credits, answers = [] }: DialectOperation, dialect: Dialect): string[] {
  const isCharged = [...answers, ...dialect.answers].some(
    ({ means, charged }) => means === 'no_match' && charged === true,
  );
  const { miss = isCharged ? credits.found : 0 } = credits;
  return miss === 0 ? [] : [`${miss} for ${code(name)}`];
}
