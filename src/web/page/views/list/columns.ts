import { inputWords } from '../../../../files/output/summary-words.ts';
import type { ShownColumn } from '../../parts/lines.ts';
import {
  addedIn,
  bareName,
  type Columns,
  columnsBy,
  fieldIn,
  isOfTeam,
  namedFor,
  operationsOf,
} from './job.ts';
import { HAPPENS } from './rows.ts';
import { isTeam, type Scene } from './scene.ts';

/** What each column of the table is, in her words. */

/**
 * - `asked`: her column, by which a row is asked.
 * - `yours`: her column, which nothing changes.
 * - `filled`: her column, with blank cells that are filled.
 * - `added`: a column that comes with what is found.
 * - `found`: a column with what was found.
 * - `happens`: what happens, or happened, to a person of a team.
 */
type Kind = 'asked' | 'yours' | 'filled' | 'added' | 'found' | 'happens';

export interface Column extends Pick<ShownColumn, 'name' | 'operation' | 'path' | 'isBelow'> {
  /** The name by which it is sorted, where she has chosen another one since it came. */
  readonly before?: string | undefined;
  /** The place of its cell in a row; undefined of a column that is still to be filled. */
  readonly at: number | undefined;
  readonly kind: Kind;
  readonly inputs: readonly string[];
  /** The place of the cell that says who found it; no cell has the place -1. */
  readonly source?: number;
}

/** Column by input, as the columns fit an operation. */
export const recognisedFor = ({ described }: Scene, operation: string): Columns =>
  described.value?.operations.find((each) => each.operation === operation)?.columns ?? {};

/** Column by input: as it was asked, as she has named it, as it is planned, else as the columns fit. */
export function columnsUsed(scene: Scene): Columns {
  const { batch, planned, teamPlanned, job, isPlanning } = scene;
  if (batch !== undefined && !isPlanning.value) return batch.columns;
  if (job.columns !== undefined) return job.columns;
  const inPlan = (planned.value ?? teamPlanned)?.columns as Columns | undefined;
  return columnsBy(job, (step) => {
    // While it is planned anew, the plan of before lacks a new step.
    const fits = planned.waits || inPlan === undefined ? recognisedFor(scene, step.operation) : {};
    return { ...fits, ...namedFor(inPlan, step) };
  });
}

/** What was tried has the names that she has chosen since, and without a name it will be in no workbook. */
function asChosen({ tried, job }: Scene, columns: readonly Column[]): readonly Column[] {
  const chosen = addedIn(job);
  if (tried === undefined || chosen.size === 0) return columns;
  return columns.flatMap((column) => {
    if (column.path === undefined) return column;
    const name = chosen.get(fieldIn(job, column.path));
    return name === undefined ? [] : { ...column, name, before: column.name };
  });
}

/** The project and the role stand before what happens, and all other columns behind it. */
function rankInTeam({ kind, inputs }: Column): number {
  if (kind === 'happens') return 1;
  return inputs.some((input) => ['project', 'project_id', 'role'].includes(input)) ? 0 : 2;
}

const OF_COMPANY = /company|organi[sz]ation|firm|business|charity|account/i;
const OF_PERSON = /^(?:full|first|contact|person|given)?[ _-]?name$/i;
/** What is said of somebody in columns such as `Company ABN`, and is no name. */
export const NO_NAME =
  /abn|acn|number|code|\bid\b|type|size|domain|web|site|url|link|mail|phone|status|address|city|state/i;

/** The column by whose cells a person knows a row: the name of the person, or of the company. */
function nameAmong(columns: readonly Column[], isOfPerson: boolean): Column | undefined {
  const hers = columns.filter((column) => isHers(column) && !NO_NAME.test(column.name));
  const named = (...words: readonly RegExp[]): Column | undefined =>
    words.flatMap((each) => hers.find(({ name }) => each.test(name)) ?? [])[0];
  return isOfPerson ? named(OF_PERSON, /name/i, OF_COMPANY) : named(OF_COMPANY, OF_PERSON, /name/i);
}

/** About whom is asked: a person, or a company. */
const isOfPerson = ({ inputs }: Column): boolean =>
  inputs.some((input) => /email|profile|first_name|full_name/.test(input));

/** Her name for the row, by what it is asked, what is found for it, and her others. */
export function columnsOf(scene: Scene, of: readonly ShownColumn[]): readonly Column[] {
  const { job, batch, isPlanning } = scene;
  const used = Object.entries(columnsUsed(scene));
  const added = isPlanning.value ? [...addedIn(job).values()] : [];
  const placeOf = (bought: string): number =>
    of.findIndex(({ name, from }) => from === 'bought' && name === bought);
  const isSource = (name: string): boolean =>
    name.endsWith('_source') && placeOf(name.slice(0, -'_source'.length)) >= 0;
  const shown = of.flatMap((column, at): Column | readonly Column[] => {
    const { name, from } = column;
    const inputs = new Set(used.flatMap(([input, by]) => (by === name ? bareName(input) : [])));
    const kind = inputs.size > 0 ? 'asked' : added.includes(name) ? 'filled' : 'yours';
    if (from === 'list') return { name, at, kind, inputs: [...inputs] };
    if (name === HAPPENS) return { name, at, kind: 'happens', inputs: [] };
    const isCame = batch?.changes !== undefined && name === '_reason';
    if (isCame) return { name: 'What happened', before: name, at, kind: 'happens', inputs: [] };
    if (from === 'ours' || isSource(name)) return [];
    const source = placeOf(`${name}_source`);
    return { ...column, at, kind: 'found', inputs: [], source };
  });
  const all = asChosen(scene, shown);
  const isChosen = !isPlanning.value || operationsOf(job).length > 0;
  const isOfPeople = all.some(({ kind }) => kind === 'happens');
  const isTeamwork = isOfPeople || operationsOf(job).some(isOfTeam);
  const isOpen = added.length === 0 && !isTeamwork && !all.some(isBought) && isChosen;
  const coming = isOpen
    ? ['What is found']
    : added.filter((column) => !all.some(({ name }) => name === column));
  const blank = coming.map((name): Column => ({ name, at: undefined, kind: 'added', inputs: [] }));
  const key = all.find(({ kind }) => kind === 'asked') ?? all.find(isHers);
  const rankOf = (column: Column): number => (isOfPeople ? rankInTeam(column) : Number(!isBought(column)));
  const others = all.filter((column) => column !== key).sort((a, b) => rankOf(a) - rankOf(b));
  const name = isOfPeople ? undefined : nameAmong(others, key !== undefined && isOfPerson(key));
  const before = [name, key].filter((column) => column !== undefined);
  return [...before, ...blank, ...others.filter((column) => column !== name)];
}

export function kindWords({ kind, name, inputs }: Column, scene: Scene): string {
  // Nobody of a team is asked about, and the names of its columns say most of them what they are.
  if (kind === 'asked' && isTeam(scene)) return '';
  if (kind === 'asked') return `asked by: ${inputs.map(inputWords).join(', ')}`;
  if (kind === 'filled') return 'filled where blank';
  if (kind === 'happens') return name === HAPPENS ? 'once you start' : 'after the start';
  if (kind === 'added') return scene.isRunning ? 'is being found' : 'will be added';
  // What is hers needs no word: it is there before and after.
  return kind === 'yours' ? '' : kind;
}

export const isBought = ({ kind }: Column): boolean => kind === 'added' || kind === 'found';

export const isHers = (column: Column): boolean => !isBought(column) && column.kind !== 'happens';
