import { useSignal } from '@preact/signals';
import { GIVEN } from '../../../../core/given.ts';
import { Fold } from '../../../../files/output/report/table.ts';
import { capital, whatWords } from '../../../../files/output/summary-words.ts';
import type { ListJobChoice } from '../../../api.ts';
import { grouped } from '../../parts/figures.ts';
import { type Added, addedIn, bareName, isFill, operationsOf, withAdded } from './job.ts';
import type { Scene } from './scene.ts';

/** Which values of the answers she wants, and the names of their columns. A value has its step in front. */

/** What each is mostly wanted for, where it fills blanks. */
const WANTED: Readonly<Record<string, string>> = {
  'find-email': 'email',
  'find-phone': 'phone',
  'enrich-person': 'job_title',
  'enrich-company': 'industry',
};

/** What can fill blanks. */
export const FILLS = Object.keys(WANTED);

export const wantedOf = (operation: string): string => `${operation}.${WANTED[operation] ?? ''}`;

/** What an answer can have by our names. */
export function valuesOf(operation: string): readonly string[] {
  const first = wantedOf(operation);
  if (operation.startsWith('find-')) return [first];
  const all = (GIVEN[operation] ?? []).map((value) => `${operation}.${value}`);
  return [first, ...all.filter((value) => value !== first)];
}

/** The value by its path in an answer, which has the step in front where the job has several. */
export function fieldIn(job: ListJobChoice, path: string): string {
  const [only = '', ...others] = operationsOf(job);
  return others.length === 0 ? `${only}.${bareName(path)}` : path;
}

/** What answers have had so far, in the order of what was asked first. */
export function knownIn({ job, planned }: Scene): readonly string[] {
  const known = (planned.value?.fields ?? []).map((field) => fieldIn(job, field));
  return operationsOf(job).flatMap((name) => known.filter((field) => field.startsWith(`${name}.`)));
}

const LOOKS: Readonly<Record<string, string>> = { email: 'e-mail', phone: 'phone' };

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Values with names for their columns: no two alike, none that another step fills, and of hers only those that
 * shall be filled.
 * @param kept other names that are not proposed.
 */
export function proposedFor(
  { job, described }: Pick<Scene, 'job' | 'described'>,
  fields: readonly string[],
  kept: readonly string[] = [],
): Added {
  const hers = described.value?.columns ?? [];
  const others = [...addedIn(job)].flatMap(([field, column]) => (fields.includes(field) ? [] : column));
  const taken = [...kept, ...others, ...(isFill(job) ? [] : hers.map(({ name }) => name))];
  const isFree = (column: string): boolean => !taken.some((each) => isSame(each, column));
  const proposed = new Map<string, string>();
  for (const field of fields) {
    const looks = LOOKS[bareName(field)];
    const alike = hers.find((each) => isFill(job) && each.looks_like === looks && isFree(each.name));
    const column = alike?.name ?? namesFor(field).find(isFree) ?? field;
    proposed.set(field, column);
    taken.push(column);
  }
  return proposed;
}

/** Names for the column of a value, such as `Employee count` for `employee_count`. */
function namesFor(field: string): readonly string[] {
  const wordsOf = (text: string): string => capital(text.replaceAll(/[._]/g, ' '));
  // The word of a step tells two cities apart.
  const whole = wordsOf(field.replace(/^(?:enrich-|find-[a-z]+\.)/, ''));
  return [wordsOf(field.replace(/.*\./, '')), whole, `${whole} found`];
}

const SHOWN_FIRST = 6;

interface FieldsProps {
  readonly scene: Scene;
  readonly fields: readonly string[];
}

/** The values as ticks; a ticked one has the name of its column. */
export function Fields({ scene, fields }: FieldsProps) {
  const { job, choose } = scene;
  // A new object each time, so that a tick that is not taken is drawn as it was.
  const wrong = useSignal({ says: '' });
  const proposed = proposedFor(scene, fields);
  const added = addedIn(job);
  const chosen = added.size === 0 ? proposed : added;
  const put = (field: string, name: string | undefined): void => {
    const wanted = new Map(chosen);
    if (name === undefined) wanted.delete(field);
    else wanted.set(field, name);
    wrong.value = { says: wrongIn(wanted, field) };
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
          list="hers"
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

/** Why it cannot be wanted so, after a field has changed; blank where it can. */
function wrongIn(wanted: Added, field: string): string {
  const column = wanted.get(field);
  const [step = ''] = field.split('.');
  const [other] =
    [...wanted].find(([each, name]) => each !== field && column !== undefined && isSame(name, column)) ?? [];
  if (other !== undefined)
    return `“${column}” is filled from “${whatOf(other)}” already, and a column is filled from one of them.`;
  if ([...wanted.keys()].some((each) => each.startsWith(`${step}.`))) return '';
  return `Something of “${whatOf(field)}” has to be wanted, or it would not be asked.`;
}

export const whatOf = (field: string): string => whatWords(field.split('.')[0] ?? field);
