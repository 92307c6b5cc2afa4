import { isRepeated } from '../core/answer-body.ts';
import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  defineOperation,
  end,
  type InputField,
  type JsonObject,
  type JsonValue,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
  type Step,
  send,
} from '../core/operation.ts';
import { columnInput, columnsIn, templateProblem, withoutBlanks } from './lookup/cell-template.ts';

const FILTERS: readonly InputField[] = [
  {
    name: 'company',
    about: 'the company that they work for',
    aliases: ['company', 'companyname', 'employer', 'organisation', 'organization', 'accountname'],
  },
  {
    name: 'position',
    about: 'their position, such as Head of Marketing',
    aliases: ['position', 'jobtitle', 'jobposition'],
  },
  {
    name: 'seniority',
    about: 'how senior they are, such as director',
    aliases: ['seniority', 'senioritylevel', 'joblevel'],
  },
  {
    name: 'department',
    about: 'their department, such as Finance',
    aliases: ['department', 'jobdepartment', 'businessunit'],
  },
];

/** The first page needs no number; what the vendor calls the others is the answers' to say. */
const PAGE = 'page';

/** Every result is charged, so a row is asked for one page unless the job wants more. */
const DEFAULT_PAGES = 1;

interface Search {
  /** Names of the row's own filters, as `_matched_by` shows them; those of the job where the row has none. */
  readonly by: string;
  readonly parameters: JsonObject;
  readonly pages: number;
  readonly creditsMost?: number;
}

/** @param extra columns that the job's `filters` name. */
function searchWith(filters: JsonObject, extra: readonly InputField[]): Operation {
  return defineOperation<Search>({
    name: 'search-people',
    summary: 'Find the people of a company, a position, a seniority or a department.',
    vendor: 'provider',
    inputs: [...FILTERS, ...extra],
    ...(Object.keys(filters).length === 0 ? {} : { needsNoColumn: true }),
    tiers: [],
    readsAnswers: true,
    settings: { filters: 'asks', pages: 'asks', credits_max: 'allows' },
    resultsFile: 'people',
    mostMatches: pagesOf,
    shapedBy,
    prepare,
    next: nextPage,
  });
}

const searchPeople = searchWith({}, []);

export default searchPeople;

const PUBLISHED = FILTERS.map(({ name }) => name);

function shapedBy(settings: JsonObject): Operation {
  const filters = (settings.filters ?? {}) as JsonObject;
  checkFilters(filters);
  const named = columnsIn(filters).filter((name) => !PUBLISHED.includes(name));
  return searchWith(
    filters,
    named.map((name) => columnInput(name, "named as in the job's filters")),
  );
}

/** @throws StopError `job` where a filter of the job would take the place of what a row says, or of our paging. */
function checkFilters(filters: JsonObject): void {
  for (const name of Object.keys(filters)) {
    if (PUBLISHED.includes(name)) {
      const fact = `filters: ${name} is taken from each row of the file.`;
      throw stop('job', fact, 'Name a column for it under `columns:`, and take it out of `filters`.');
    }
    if (name === PAGE) {
      const fact = `filters: ${PAGE}: Rowonce asks for the pages of a search itself.`;
      throw stop('job', fact, 'Give their number under `pages`, and remove `page`.');
    }
  }
  const problem = templateProblem(filters);
  if (problem !== undefined) throw stop('job', `filters: ${problem}.`, 'Write a column as {{Column}}.');
}

function pagesOf({ settings }: OperationOptions): number {
  return typeof settings?.pages === 'number' ? settings.pages : DEFAULT_PAGES;
}

/** All that a row says is asked in one search: without one of its filters it would be another, and a dearer one. */
function prepare(row: RowInput, options: OperationOptions): Prepared<Search> {
  const cells = Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, cell.replaceAll(/\s+/gu, ' ').trim()]),
  );
  const { filters: ofJob = {}, credits_max: creditsMost } = options.settings ?? {};
  const filters = ofJob as JsonObject;
  const own = PUBLISHED.flatMap((name) => (cells[name] ? [[name, cells[name]] as const] : []));
  const asked = withoutBlanks(filters, cells);
  const parameters = { ...Object.fromEntries(own), ...asked };
  const nothing = whyNothing(cells, parameters);
  if (nothing !== undefined) return { kind: 'invalid', reason: `nothing to search by: ${nothing}` };
  const unaskable = own.find(([name]) => options.unaskable?.includes(name));
  if (unaskable !== undefined) {
    return { kind: 'invalid', reason: `${unaskable[0]}: the vendor cannot look it up` };
  }
  const ofRow = Object.keys(asked).filter((name) => columnsIn(filters[name] ?? null).length > 0);
  const by = [...own.map(([name]) => name), ...ofRow];
  const input: Search = {
    by: (by.length === 0 ? Object.keys(parameters) : by).join('+'),
    parameters,
    pages: pagesOf(options),
    ...(typeof creditsMost === 'number' ? { creditsMost } : {}),
  };
  return { kind: 'ready', input };
}

/**
 * Why a row says nothing; undefined when it does. A row that leaves blank all by which the rows of its list differ would
 * find everybody whom the job's own filters allow. By the published filters they differ where the list has one of them,
 * else by its other columns. Of a list without columns, the job says it all.
 */
function whyNothing(cells: RowInput, parameters: JsonObject): string | undefined {
  const published = PUBLISHED.filter((name) => cells[name] !== undefined);
  const telling = published.length > 0 ? published : Object.keys(cells);
  if (telling.length > 0 && telling.every((name) => cells[name] === '')) {
    return telling.map((name) => `${name}: blank`).join('; ');
  }
  return Object.keys(parameters).length === 0 ? 'no column is chosen for a filter' : undefined;
}

type Page = Extract<Answer, { readonly kind: 'found' }>;

type LastWord = Exclude<Answer, Page> | 'repeated';

function nextPage(input: Search, answered: Answered): Step {
  const pages: Page[] = [];
  let call: Call | undefined = pageCall(input, undefined);
  while (call !== undefined) {
    const answer = answered(call);
    if (answer === undefined) return send(call);
    if (answer.kind !== 'found') return ended(input, pages, answer);
    if (isRepeated(answer.results, pages.map(listOf))) return ended(input, pages, 'repeated');
    pages.push(answer);
    call = pages.length < input.pages ? callAfter(input, pages) : undefined;
  }
  return ended(input, pages, undefined);
}

const listOf = ({ results = [] }: Page): readonly JsonValue[] => results;

/** Undefined behind the last page: also when the vendor names one that it named before, because it would for ever. */
function callAfter(input: Search, pages: readonly Page[]): Call | undefined {
  const [more, ...named] = pages.map((page) => JSON.stringify(page.more)).reverse();
  return more === undefined || named.includes(more) ? undefined : pageCall(input, JSON.parse(more));
}

function pageCall({ parameters, creditsMost }: Search, page: JsonValue | undefined): Call {
  return present({
    operation: 'search-people',
    parameters: page === undefined ? parameters : { ...parameters, [PAGE]: page },
    // A lost answer may have been charged, so only the user may pay again.
    ifLost: 'hold',
    creditsMost,
  });
}

function ended(input: Search, pages: readonly Page[], last: LastWord | undefined): Step {
  const { by } = input;
  const isRefused = typeof last === 'object' && last.kind === 'refused';
  if (pages.length === 0 && isRefused) {
    return end({ kind: 'refused', reason: `the vendor refused ${by} (${last.words})` });
  }
  const people = pages.reduce((sum, page) => sum + listOf(page).length, 0);
  const unknown = unknownList(pages);
  if (people === 0 && unknown === undefined)
    return end({ kind: 'no_match', reason: `nobody found by ${by}` });
  const page = `page ${pages.length + 1}`;
  const whyNoMore = pages.at(-1)?.whyNoMore;
  const remarks = [
    ...(people === 0 ? [] : [people === 1 ? '1 person' : `${people} people`]),
    ...(unknown === undefined ? [] : [unknown]),
    ...(isRefused ? [`${page} was refused (${last.words})`] : []),
    ...(last === 'repeated' ? [`${page} ${BROUGHT_NOBODY_NEW}`] : []),
    ...(last === undefined && callAfter(input, pages) !== undefined ? ['the vendor has more pages'] : []),
    ...(last === undefined && whyNoMore !== undefined ? [whyNoMore] : []),
  ];
  return end({ kind: 'matched', matchedBy: by, reason: remarks.join('; ') });
}

const BROUGHT_NOBODY_NEW =
  'brought the same people again, so the search stopped there; set how to ask for pages in the dialect, under operations.search-people.paging';

/** What a page holds that has no list of people at a place where one is known; undefined when each has one. */
function unknownList(pages: readonly Page[]): string | undefined {
  const at = pages.findIndex(({ results }) => results === undefined);
  if (at === -1) return undefined;
  const which = pages.length === 1 ? 'the answer' : `page ${at + 1}`;
  return `${which} has no list of people that can be found; set its place in the dialect, under operations.search-people.results`;
}
