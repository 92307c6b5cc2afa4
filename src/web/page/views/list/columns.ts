import type { ListJobChoice, TableColumnObject } from '../../../api.ts';
import { operationsOf, type Scene, teamPlan } from './scene.ts';
import { HAPPENS } from './team-rows.ts';

/** What each column of the table is, in her words. */

export type Kind = 'asked' | 'yours' | 'filled' | 'added' | 'found' | 'happens';

export interface Column {
  readonly name: string;
  /** The place of its cell in a row; undefined of a column that is still to be filled. */
  readonly at: number | undefined;
  readonly kind: Kind;
  /** What it is asked by. */
  readonly inputs: readonly string[];
  /** The operation that fills it, where a row is asked for several things. */
  readonly operation?: string | undefined;
  /** The place of the cell that says who found it. */
  readonly source?: number | undefined;
}

/** The inputs of what can be done. */
const COMPANY = ['abn', 'domain', 'website', 'profile_url', 'number', 'name', 'country'];
const PERSON = ['email', 'profile_url', 'first_name', 'last_name', 'full_name', 'company', 'domain'];
const MEMBER = ['email', 'project', 'role', 'project_id', 'user_id'];
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  'enrich-company': COMPANY,
  'enrich-person': PERSON,
  'find-email': PERSON,
  'find-phone': PERSON,
  'check-email': ['email'],
  'search-people': ['company', 'domain', 'position', 'seniority', 'department', 'country'],
};

const WORDS: Readonly<Record<string, string>> = {
  abn: 'ABN',
  domain: 'web domain',
  website: 'website',
  profile_url: 'profile page',
  profile_slug: 'profile name',
  number: 'company number',
  name: 'company name',
  country: 'country',
  email: 'e-mail',
  first_name: 'first name',
  last_name: 'last name',
  full_name: 'whole name',
  company: 'company',
  position: 'position',
  seniority: 'seniority',
  department: 'department',
  project: 'project',
  project_id: 'id of the project',
  role: 'role',
  user_id: 'id of the user',
  organization_id: 'id of the organization',
};

/** The input of one of several steps begins with the name of the step: `enrich-company.website`. */
export function inputWords(input: string): string {
  const name = input.replace(/^[a-z-]+\./, '');
  return WORDS[name] ?? name.replaceAll('_', ' ');
}

/** What the list is or will be worked on with. */
export const operationsIn = ({ job, batch, isPlanning }: Scene): readonly string[] =>
  isPlanning.value || batch === undefined ? operationsOf(job) : batch.operation.split(',');

export const inputsOf = (operations: readonly string[]): readonly string[] => [
  ...new Set(operations.flatMap((name) => INPUTS[name] ?? MEMBER)),
];

/** Column by input: as it was asked, as it is planned, else as the columns fit. */
function askedBy(scene: Scene): Readonly<Record<string, string>> {
  const { batch, planned, described, job, isPlanning } = scene;
  if (batch !== undefined && !isPlanning.value) return batch.columns;
  if (planned.value !== undefined) return planned.value.columns;
  const fits = described.value?.operations ?? [];
  const used = operationsIn(scene);
  return Object.assign({}, ...fits.filter((fit) => used.includes(fit.operation)).map((fit) => fit.columns), {
    ...job.columns,
  });
}

/** The columns that shall be filled, and where their cells are in an answer. */
export function addedIn({ add = {}, operations = [] }: ListJobChoice): Readonly<Record<string, string>> {
  const steps = Array.isArray(operations) ? [] : Object.values(operations);
  return Object.assign({}, add, ...steps.map((step) => step.add ?? {}));
}

/** Said where nobody knows yet which columns will come. */
export const WHATEVER = 'What is found';

/** Hers and the bought ones, which stand behind the one by which it is asked. */
export function columnsOf(scene: Scene, of: readonly TableColumnObject[]): readonly Column[] {
  const inputs = Object.entries(askedBy(scene));
  const added = scene.isPlanning.value ? addedIn(scene.job) : {};
  const places = of.map((column, at) => ({ ...column, at }));
  const bought = places.filter(({ from }) => from === 'bought');
  const hers = places
    .filter(({ from }) => from === 'list')
    .map(({ name, at }): Column => {
      const asked = inputs.flatMap(([input, column]) => (column === name ? [input] : []));
      const kind = asked.length > 0 ? 'asked' : name in added ? 'filled' : 'yours';
      return { name, at, kind, inputs: asked };
    });
  const placeOf = (name: string): number | undefined => bought.find((column) => column.name === name)?.at;
  const isSource = (name: string): boolean =>
    name.endsWith('_source') && placeOf(name.slice(0, -'_source'.length)) !== undefined;
  const found = bought
    .filter(({ name }) => !isSource(name))
    .map(({ name, at, operation }): Column => {
      return { name, at, kind: 'found', inputs: [], operation, source: placeOf(`${name}_source`) };
    });
  const isThere = new Set([...hers, ...found].map(({ name }) => name));
  const coming = Object.keys(added).filter((name) => !isThere.has(name));
  const isOpen =
    teamPlan(scene) === undefined &&
    found.length === 0 &&
    Object.keys(added).length === 0 &&
    operationsIn(scene).length > 0;
  const blank = (isOpen ? [WHATEVER] : coming).map((name): Column => {
    return { name, at: undefined, kind: 'added', inputs: [] };
  });
  const key = hers.find(({ kind }) => kind === 'asked') ?? hers[0];
  const others = hers.filter((column) => column !== key);
  const all = [...(key ? [key] : []), ...blank, ...found, ...others];
  if (teamPlan(scene) === undefined) return all;
  return [...all, { name: HAPPENS, at: of.length - 1, kind: 'happens', inputs: [] }];
}

export function kindWords({ kind, inputs }: Column, isRunning: boolean): string {
  if (kind === 'asked') return `asked by: ${[...new Set(inputs.map(inputWords))].join(', ')}`;
  if (kind === 'filled') return 'filled where blank';
  if (kind === 'happens') return 'once you start';
  if (kind === 'added') return isRunning ? 'is being found' : 'will be added';
  return kind;
}

export const isHers = (column: Column): boolean => !isBought(column) && column.kind !== 'happens';

export const isBought = ({ kind }: Column): boolean => kind === 'added' || kind === 'found';
