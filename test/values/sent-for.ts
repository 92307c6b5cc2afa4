import { loadFamily } from '../../src/core/families.ts';
import type { Operation, RowInput } from '../../src/core/operation.ts';
import { cellPreparer } from '../../src/walk/row-preparer.ts';

const operations = await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url));

/** By which operation and inputs a cell of a kind is asked. */
export const ASKED: Readonly<Record<string, readonly [operation: string, ...inputs: string[]]>> = {
  email: ['enrich-person', 'email'],
  website: ['enrich-company', 'domain'],
  profile: ['enrich-person', 'profile_url'],
  person_first_last: ['find-email', 'first_name', 'last_name'],
  full_name: ['find-email', 'full_name'],
  company: ['enrich-company', 'name'],
  abn: ['enrich-company', 'abn'],
  number: ['enrich-company', 'number'],
};

/** What would be sent for the cells of a kind, through the preparation of a row; undefined for nothing. */
export function sendingFor(kind: string, repair: boolean): (...cells: readonly string[]) => unknown {
  const [name, ...inputs] = ASKED[kind] as (typeof ASKED)[string];
  const own = operations.get(name) as Operation;
  const operation = own.askedBy?.(inputs, inputs) ?? own;
  const prepare = cellPreparer({ operation, repair }, { waterfall: [inputs.join('+')] });
  return (...cells) => {
    const row: RowInput = Object.fromEntries(inputs.map((input, at) => [input, cells[at] ?? '']));
    const prepared = prepare(row);
    if (prepared.kind !== 'ready') return undefined;
    const step = operation.next(prepared.input, () => undefined);
    if (step.kind !== 'send') return undefined;
    const values = inputs.map((input) => step.call.parameters[input]);
    return inputs.length === 1 ? values[0] : values;
  };
}
