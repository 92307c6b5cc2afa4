import { useSignal } from '@preact/signals';
import { rowsFound } from '../../../../core/counts.ts';
import { describedCall, describedOperation } from '../../../../core/described.ts';
import { moneySum } from '../../../../core/money.ts';
import { Fold } from '../../../../files/output/report/table.ts';
import { columnWords, inputWords, whatWords } from '../../../../files/output/summary-words.ts';
import type { BatchStatusObject, TableObject } from '../../../api.ts';
import { Loaded } from '../../parts/asking.tsx';
import { Select } from '../../parts/controls.tsx';
import { counted, grouped, money } from '../../parts/figures.ts';
import { type Column, columnsUsed, isBought } from './columns.ts';
import {
  type Added,
  addedIn,
  askedIn,
  bareName,
  fieldIn,
  inputsOf,
  isFill,
  operationsOf,
  stepsOf,
  UNREAD,
  withAdded,
  withAsked,
} from './job.ts';
import { columnsOfHers, type OfScene, type Scene } from './scene.ts';

/** Which values of the answers she wants, and the names of their columns. A value has its step in front. */

/** The value with which it begins to fill blanks; none of a step that fills none. */
export const firstOf = (operation: string): readonly string[] => {
  const { fills } = describedOperation(operation)?.offered ?? {};
  return fills === undefined ? [] : [`${operation}.${fills}`];
};

/** What an answer can have by our names. What finds a single value has no other. */
export function valuesOf(operation: string): readonly string[] {
  const first = firstOf(operation);
  const { gives, wants } = describedCall(operation);
  if (wants !== undefined || gives === 'any') return first;
  return [...new Set([...first, ...gives.map((value) => `${operation}.${value}`)])];
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Names for columns: no two alike, none that another step fills, and of hers only those that shall be filled.
 * @param kept other names that are not proposed.
 */
export function proposedFor(
  { job, described }: Pick<Scene, 'job' | 'described'>,
  fields: readonly string[],
  kept: readonly string[] = [],
): Added {
  const hers = described.value?.columns.toSorted((one, other) => other.filled - one.filled) ?? [];
  const others = [...addedIn(job)].flatMap(([field, column]) => (fields.includes(field) ? [] : column));
  const taken = [...kept, ...others, ...(isFill(job) ? [] : hers.map(({ name }) => name))];
  const isFree = (column: string): boolean => !taken.some((each) => isSame(each, column));
  const proposed = new Map<string, string>();
  for (const field of fields) {
    const alike = hers.find((each) => isFill(job) && each.contact === bareName(field) && isFree(each.name));
    const column = alike?.name ?? columnWords(field).find(isFree) ?? field;
    proposed.set(field, column);
    taken.push(column);
  }
  return proposed;
}

const SHOWN_FIRST = 6;

/** The columns that each step has found beyond the first ones, where she has not chosen which she wants. */
export function namesBeyond({ job }: Scene, columns: readonly Column[]): readonly string[] {
  const found = addedIn(job).size === 0 ? columns.filter(isBought) : [];
  const ofSteps = Map.groupBy(found, ({ operation, isBelow }) => `${operation} ${isBelow}`);
  return [...ofSteps.values()].flatMap((all) => all.slice(SHOWN_FIRST).map(({ name }) => name));
}

/** The values as ticks; a ticked one has the name of its column. */
export function Fields({ scene, proposed }: OfScene & { readonly proposed: Added }) {
  const { job, choose } = scene;
  // A new object each time, so that a tick that is not taken is drawn as it was.
  const wrong = useSignal({ says: '' });
  const fields = [...proposed.keys()];
  const added = addedIn(job);
  const chosen = added.size === 0 ? proposed : added;
  const hers = columnsOfHers(scene);
  // Of a list that was downloaded here before, the server knows which columns are filled anew.
  const kept = isFill(job) || hers.includes('_status') ? [] : hers;
  const put = (field: string, name: string | undefined): void => {
    const wanted = new Map(chosen);
    if (name === undefined) wanted.delete(field);
    else wanted.set(field, name);
    wrong.value = { says: wrongIn(wanted, field, kept) };
    if (wrong.value.says === '') choose(withAdded(job, wanted));
  };
  const ticked = (field: string) => {
    const name = chosen.get(field);
    const own = proposed.get(field) ?? field;
    return (
      <li key={field} class="row">
        <input
          type="checkbox"
          aria-label={own}
          checked={name !== undefined}
          onChange={({ currentTarget }) => put(field, currentTarget.checked ? own : undefined)}
        />
        <input
          aria-label={`Name of the column for ${own}`}
          list={isFill(job) ? 'hers' : undefined}
          defaultValue={name ?? own}
          disabled={name === undefined}
          onInput={({ currentTarget }) => put(field, currentTarget.value.trim() || own)}
        />
      </li>
    );
  };
  const others = fields.slice(SHOWN_FIRST);
  return (
    <>
      <ul class="fields">{fields.slice(0, SHOWN_FIRST).map(ticked)}</ul>
      {wrong.value.says && (
        <p class="need" role="alert">
          {wrong.value.says}
        </p>
      )}
      {others.length > 0 && (
        <Fold title={`${grouped(others.length)} more`}>
          <ul class="fields">{others.map(ticked)}</ul>
        </Fold>
      )}
    </>
  );
}

/** Why it cannot be wanted so, after a field has changed; blank where it can. What is kept is not filled. */
function wrongIn(wanted: Added, field: string, kept: readonly string[]): string {
  const column = wanted.get(field);
  if (column !== undefined && kept.some((name) => isSame(name, column)))
    return `“${column}” is a column of yours. Give this one another name.`;
  const [other] =
    [...wanted].find(([each, name]) => each !== field && column !== undefined && isSame(name, column)) ?? [];
  if (other !== undefined)
    return `“${column}” is filled from “${whatOf(other)}” already, and a column is filled from one of them.`;
  if ([...wanted.keys()].some((each) => each.split('.')[0] === field.split('.')[0])) return '';
  return `Something of “${whatOf(field)}” has to be wanted, or it would not be asked.`;
}

const whatOf = (field: string): string => whatWords(field.split('.')[0] ?? field);

interface TriedProps extends OfScene {
  readonly tried: NonNullable<Scene['tried']>;
}

/** What a few rows brought, which of it she wants, and what the whole list will probably bring with them. */
export function Tried({ scene, tried: { rows, matched, forecast } }: TriedProps) {
  const { likely, rows: others = 0 } = forecast ?? {};
  return (
    <>
      <h2>
        Of {grouped(rows)} tried, {grouped(matched)} {matched === 1 ? 'was' : 'were'} found
      </h2>
      {/* Which blanks are filled was chosen before the try. */}
      {!isFill(scene.job) && scene.described.value && (
        <Loaded<TableObject> path="/status" body={{ batch: scene.batch?.batch, from: 0, limit: 1 }}>
          {({ columns }) => <Fields scene={scene} proposed={namedIn(scene, columns)} />}
        </Loaded>
      )}
      {likely && others > 0 && scene.batch && <WholeList {...likely} batch={scene.batch} />}
    </>
  );
}

/** What came back, under the names that its columns have. */
const namedIn = ({ job }: Scene, columns: TableObject['columns']): Added =>
  new Map(columns.flatMap(({ name, path }) => (path === undefined ? [] : [[fieldIn(job, path), name]])));

type Likely = NonNullable<NonNullable<TriedProps['tried']['forecast']>['likely']>;

function WholeList({ found, credits, cost, price, batch }: Likely & { readonly batch: BatchStatusObject }) {
  const { spent } = batch.credits;
  const moneyWith = (rest: Parameters<typeof money>[0]): string =>
    money(moneySum(batch.cost ?? [], rest ?? []));
  return (
    <p>
      For all {grouped(batch.rows)} that makes about <b>{rangeWords(found, rowsFound(batch.counts))} found</b>{' '}
      for <b>{rangeWords(credits, spent)} credits</b>
      {cost && <b>{`, ${moneyWith(cost.least)} to ${moneyWith(cost.most)}`}</b>}
      {price !== null && `, ${counted(price, 'credit')} for each one bought`}, {grouped(spent)} spent so far.
    </p>
  );
}

/** The range with what is sure already. */
function rangeWords({ least, most }: Readonly<Record<'least' | 'most', number>>, sure: number): string {
  return least === most ? grouped(most + sure) : `${grouped(least + sure)} to ${grouped(most + sure)}`;
}

/** What a column of hers means for what shall be done: an input, or a value that it gets. */
export function Meaning({ scene, column, close }: OfScene & { readonly column: Column; close(): void }) {
  const operations = operationsOf(scene.job);
  if (operations.length === 0) return <p class="soft">Choose first what shall be done with the list.</p>;
  const filled = [...addedIn(scene.job)].flatMap(([field, name]) => (name === column.name ? field : []));
  const ofStep = (field: string): string => (operations.length > 1 ? `, from ${whatOf(field)}` : '');
  const inputs = new Set(operations.flatMap(inputsOf));
  const known = scene.planned.value?.fields?.map((field) => fieldIn(scene.job, field)) ?? [];
  const fields = new Set([...operations.flatMap(valuesOf), ...known, ...filled]);
  const options: readonly (readonly [string, string])[] = [
    [UNREAD, 'yours, left alone'],
    ...[...inputs].map((input) => [input, `asked by: ${inputWords(input)}`] as const),
    ...[...fields].map(
      (field) => [field, `filled where blank: ${inputWords(field)}${ofStep(field)}`] as const,
    ),
  ];
  return (
    <Select
      name={`“${column.name}” is`}
      value={[...column.inputs, ...filled, UNREAD][0]}
      options={options}
      onChosen={(meaning) => {
        scene.choose(meantAs(scene, column.name, meaning));
        close();
      }}
    />
  );
}

/** The job in which the column means something else. */
function meantAs(scene: Scene, name: string, meaning: string): Scene['job'] {
  const added = new Map([...addedIn(scene.job)].filter(([, column]) => column !== name));
  const isFilled = bareName(meaning) !== meaning;
  if (isFilled) added.set(meaning, name);
  const filling = isFilled ? { on_existing: 'fill' as const } : {};
  let job = withAdded({ ...scene.job, ...filling, columns: columnsUsed(scene) }, added);
  // What has filled it until now fills another one.
  const bare = stepsOf(job).filter(({ add }) => isFill(job) && add === undefined);
  const wanted = bare.flatMap(({ operation }) => firstOf(operation));
  job = withAdded(job, new Map([...added, ...proposedFor({ ...scene, job }, wanted, [name])]));
  for (const step of stepsOf(job)) {
    const before = [...askedIn(job, step)].filter(([, column]) => column === name);
    const named = before.map(([input]) => [input, UNREAD]);
    if (inputsOf(step.operation).includes(meaning)) named.push([meaning, name]);
    job = withAsked(job, step, Object.fromEntries(named));
  }
  return job;
}
