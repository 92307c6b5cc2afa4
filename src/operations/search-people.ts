import { type CallDescription, unoffered } from '../core/described.ts';
import { stop } from '../core/errors.ts';
import { finding, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import {
  type Answered,
  askOnce,
  defineOperation,
  end,
  type InputField,
  type JsonObject,
  type NextAction,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
} from '../core/operation.ts';
import { keysIn } from '../core/vendor-path.ts';
import { isBlankText } from '../values/blank.ts';
import { columnInput, columnsIn, templateProblem, withoutBlanks } from './lookup/cell-template.ts';

const FILTERS: readonly InputField[] = (
  [
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
  ] as const
).map((each) => ({ ...each, isBlank: isBlankText }));

interface Search {
  /**
   * The names of the row's own filters, as `_matched_by` shows them; the names of the job's filters where the
   * row has none.
   */
  readonly by: string;
  readonly parameters: JsonObject;
  readonly creditsMost?: number;
}

const SEARCH: CallDescription = {
  parameters: FILTERS.map(({ name }) => name),
  together: [],
  folded: [],
  gives: [],
  wants: undefined,
  takesId: false,
  finds: undefined,
  isAbout: undefined,
  erased: 'in_lists',
  changes: undefined,
  bringsRequest: false,
};

/** @param extra the columns that the job's `filters` name. */
function searchWith(filters: JsonObject, extra: readonly InputField[]): Operation {
  return defineOperation<Search>({
    name: 'search-people',
    summary: 'Find the people of a company, a position, a seniority or a department.',
    vendor: 'provider',
    described: unoffered('people of companies', { 'search-people': SEARCH }),
    inputs: [...FILTERS, ...extra],
    ...(Object.keys(filters).length === 0 ? {} : { needsNoColumn: true }),
    tiers: [],
    readsAnswers: true,
    settings: { filters: 'asks', credits_max: 'allows' },
    resultsFile: 'people',
    shapedBy: shapedSearch,
    preparer: (options) => (row) => prepareSearch(row, options),
    next: nextSearch,
  });
}

const searchPeople = searchWith({}, []);

export default searchPeople;

const PUBLISHED = FILTERS.map(({ name }) => name);

function shapedSearch(settings: JsonObject): Operation {
  const filters = (settings.filters ?? {}) as JsonObject;
  checkFilters(filters);
  const named = columnsIn(filters).filter((name) => !PUBLISHED.includes(name));
  return searchWith(
    filters,
    named.map((name) => columnInput(name, "named as in the job's filters")),
  );
}

/** @throws StopError `job` where a filter of the job would take the place of a filter of the row. */
function checkFilters(filters: JsonObject): void {
  for (const name of Object.keys(filters)) {
    if (PUBLISHED.includes(name)) {
      const fact = `filters: ${name} is taken from each row of the file.`;
      throw stop('job', fact, 'Name a column for it under `columns:`, and take it out of `filters`.');
    }
  }
  const problem =
    templateProblem(filters) ??
    (keysIn(filters) > 0 ? '{key} is filled in for an api-call or a dialect alone' : undefined);
  if (problem !== undefined) throw stop('job', `filters: ${problem}.`, 'Write a column as {{Column}}.');
}

/**
 * All filters of a row go into one search: without one of them it would be another search, and a dearer one.
 */
function prepareSearch(row: RowInput, options: OperationOptions): Prepared<Search> {
  const cells = Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, cell.replaceAll(/\s+/gu, ' ').trim()]),
  );
  const { filters: ofJob = {}, credits_max: creditsMost } = options.settings ?? {};
  const filters = ofJob as JsonObject;
  const publishedCells = PUBLISHED.flatMap((name) => (cells[name] ? [[name, cells[name]] as const] : []));
  const askedFilters = withoutBlanks(filters, cells);
  const parameters = { ...Object.fromEntries(publishedCells), ...askedFilters };
  const nothing = whyNoSearch(cells, parameters);
  if (nothing !== undefined)
    return { kind: 'invalid', findings: together(finding('nothing_to_search_by', {}), nothing) };
  const unaskable = publishedCells.find(([name]) => options.unaskable?.includes(name));
  if (unaskable !== undefined)
    return { kind: 'invalid', findings: finding('unaskable', { input: unaskable[0], cell: unaskable[1] }) };
  const ofRow = Object.keys(askedFilters).filter((name) => columnsIn(filters[name] ?? null).length > 0);
  const by = [...publishedCells.map(([name]) => name), ...ofRow];
  const input: Search = {
    by: (by.length === 0 ? Object.keys(parameters) : by).join('+'),
    parameters,
    ...(typeof creditsMost === 'number' ? { creditsMost } : {}),
  };
  return { kind: 'ready', input };
}

/**
 * Why a row has nothing to search for; undefined when it has something. The rows of a list differ by the
 * published filters where the list has one of them, else by its other columns. A row that leaves all of these
 * blank would find everybody whom the job's own filters allow. For a list without columns, the job has all
 * filters.
 */
function whyNoSearch(cells: RowInput, parameters: JsonObject): Findings | undefined {
  const published = PUBLISHED.filter((name) => cells[name] !== undefined);
  const telling = published.length > 0 ? published : Object.keys(cells);
  if (telling.length > 0 && telling.every((name) => cells[name] === ''))
    return together(...telling.map((input) => finding('blank', { input })));
  return Object.keys(parameters).length === 0 ? finding('no_column_for_filter', {}) : undefined;
}

function nextSearch({ by, parameters, creditsMost }: Search, answered: Answered): NextAction {
  // A lost answer may have been charged, so only the user may pay again.
  const call = present({ operation: 'search-people', parameters, ifLost: 'hold', creditsMost } as const);
  const answer = answered(call);
  const results = answer?.kind === 'found' ? answer.results : undefined;
  const nobody = finding('nobody_found', { by });
  if (results?.length === 0) return end({ kind: 'no_match', findings: nobody });
  if (answer?.kind !== 'found') return askOnce(call, answered, by, nobody);
  const findings =
    results === undefined
      ? finding('no_list_in_answer', {})
      : finding('people_found', { count: results.length });
  return end({ kind: 'matched', matchedBy: by, findings });
}
