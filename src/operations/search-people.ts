import { stop } from '../errors.ts';
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
} from '../operation.ts';

/** The filters whose names are published; more may be written into the job under the vendor's own names. */
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
  /** Names of the row's own filters, as `_matched_by` shows them. */
  readonly by: string;
  readonly parameters: JsonObject;
  readonly pages: number;
  readonly creditsMost?: number;
}

const searchPeople: Operation = defineOperation<Search>({
  name: 'search-people',
  summary: 'Find the people of a company, a position, a seniority or a department.',
  vendor: 'provider',
  inputs: FILTERS,
  tiers: [],
  settings: { filters: 'asks', pages: 'asks', credits_max: 'allows' },
  resultsFile: 'people',
  mostMatches: pagesOf,
  shapedBy(settings) {
    checkFilters(settings);
    return searchPeople;
  },
  prepare,
  next: nextPage,
});

export default searchPeople;

/** @throws StopError `job` where a filter of the job would take the place of what a row says, or of our paging. */
function checkFilters({ filters = {} }: JsonObject): void {
  for (const name of Object.keys(filters ?? {})) {
    if (FILTERS.some((each) => each.name === name)) {
      const fact = `filters: ${name} is taken from each row of the file.`;
      throw stop('job', fact, 'Name a column for it under `columns:`, and take it out of `filters`.');
    }
    if (name === PAGE) {
      const fact = 'filters: the pages of a search are asked for by themselves.';
      throw stop('job', fact, 'Say how many of them under `pages`, and take `page` out of `filters`.');
    }
  }
}

function pagesOf({ settings }: OperationOptions): number {
  return typeof settings?.pages === 'number' ? settings.pages : DEFAULT_PAGES;
}

/** All that a row says is asked in one search: without one of its filters it would be another, and a dearer one. */
function prepare(row: RowInput, options: OperationOptions): Prepared<Search> {
  const given = FILTERS.flatMap(({ name }) => {
    const value = (row[name] ?? '').replaceAll(/\s+/gu, ' ').trim();
    return value === '' ? [] : [[name, value] as const];
  });
  if (given.length === 0) return { kind: 'invalid', reason: whyNothing(row) };
  const unaskable = given.find(([name]) => options.unaskable?.includes(name));
  if (unaskable !== undefined) {
    return { kind: 'invalid', reason: `${unaskable[0]}: the vendor cannot be asked by it` };
  }
  const { filters, credits_max: creditsMost } = options.settings ?? {};
  const input: Search = {
    by: given.map(([name]) => name).join('+'),
    parameters: { ...Object.fromEntries(given), ...(filters as JsonObject | undefined) },
    pages: pagesOf(options),
    ...(typeof creditsMost === 'number' ? { creditsMost } : {}),
  };
  return { kind: 'ready', input };
}

function whyNothing(row: RowInput): string {
  const mapped = FILTERS.filter(({ name }) => row[name] !== undefined).map(({ name }) => name);
  return mapped.length === 0
    ? 'nothing to search by: no column is mapped to a filter'
    : `nothing to search by: ${mapped.map((name) => `${name}: blank`).join('; ')}`;
}

// ------------------------------------------------------------------------------------------------ page by page

type Page = Extract<Answer, { readonly kind: 'found' }>;

function nextPage(input: Search, answered: Answered): Step {
  const pages: Page[] = [];
  let call: Call | undefined = pageCall(input, undefined);
  while (call !== undefined) {
    const answer = answered(call);
    if (answer === undefined) return send(call);
    if (answer.kind !== 'found') return ended(input, pages, answer);
    pages.push(answer);
    call = pages.length < input.pages ? callAfter(input, pages) : undefined;
  }
  return ended(input, pages, undefined);
}

/** Undefined behind the last page: also when the vendor names one that it named before, because it would for ever. */
function callAfter(input: Search, pages: readonly Page[]): Call | undefined {
  const [more, ...named] = pages.map((page) => JSON.stringify(page.more)).reverse();
  return more === undefined || named.includes(more) ? undefined : pageCall(input, JSON.parse(more));
}

function pageCall({ parameters, creditsMost }: Search, page: JsonValue | undefined): Call {
  return {
    operation: 'search-people',
    parameters: page === undefined ? parameters : { ...parameters, [PAGE]: page },
    // A lost answer may have been charged, so only the user may pay again.
    ifLost: 'hold',
    ...(creditsMost === undefined ? {} : { creditsMost }),
  };
}

/** @param last the answer that held no page, if that is what ended it. */
function ended(input: Search, pages: readonly Page[], last: Exclude<Answer, Page> | undefined): Step {
  const { by } = input;
  if (pages.length === 0 && last?.kind === 'refused') {
    return end({ kind: 'refused', reason: `the vendor refused ${by} (${last.words})` });
  }
  const lists = pages.map(({ results }) => results);
  const people = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (people === 0 && !lists.includes(undefined)) return end({ kind: 'no_match', reason: `nobody by ${by}` });
  const remarks = [
    people === 1 ? '1 person' : `${people} people`,
    ...(lists.includes(undefined) ? ['an answer holds no list of people'] : []),
    ...(last?.kind === 'refused' ? [`page ${pages.length + 1} was refused (${last.words})`] : []),
    ...(last === undefined && callAfter(input, pages) !== undefined ? ['the vendor has more pages'] : []),
  ];
  return end({ kind: 'matched', matchedBy: by, reason: remarks.join('; ') });
}
