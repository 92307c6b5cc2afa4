import { z } from 'zod';
import type { Account } from '../client/account/account.ts';
import { type AgreementQuestion, isAgreed, isAgreement } from '../client/account/agreements.ts';
import { systemClock } from '../core/clock.ts';
import type { StopError } from '../core/errors.ts';
import { loadFamily, OPERATIONS } from '../core/families.ts';
import type { ReadOptions } from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { Operation } from '../core/operation.ts';
import { counted, foreignName, foreignWords, linesOf, listed, plainText } from '../core/plain-text.ts';
import { RowRanges } from '../core/reading.ts';
import { rowsAsked } from '../core/row.ts';
import { wordsShown } from '../core/stop-object.ts';
import type { CellLook } from '../files/columns/column-kind.ts';
import { columnFlag, guessedHow, guessWords } from '../files/columns/columns.ts';
import { describeFile, sheetsOf } from '../files/describe-file.ts';
import { noRows, type OpenedInput, openFile, openHeader, requireRows } from '../files/input.ts';
import { shortBudgetWords } from '../files/output/short-budgets.ts';
import { watchIssues } from '../files/quality/job-issues.ts';
import { NO_SHARED_HOSTS } from '../files/quality/shared-hosts.ts';
import { policyOfStep, waterfallOf } from '../job/job.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { isYamlName } from '../lib/file-name.ts';
import {
  type DamageObject,
  type DuplicatesObject,
  ListDescription,
  type OperationFit,
  type RowsObject,
} from '../objects/list-object.ts';
import {
  type BlankWordObject,
  type JobDamageObject,
  PlanObject,
  type RedirectObject,
  type ShortBudgetObject,
} from '../objects/plan-object.ts';
import { searchAnswers } from '../plan/answer-search.ts';
import { otherwiseWords, rereadOf, rereadWords } from '../plan/batch.ts';
import { questionsOf, requestWords, requireAgreedRequests, sentRequests } from '../plan/consent.ts';
import type { Plan } from '../plan/plan.ts';
import { identifyPlan } from '../plan/plan-id.ts';
import { planPart, requireSampled } from '../plan/sample.ts';
import { isTakingAside } from '../plan/shared-hosts.ts';
import { guardProblems } from '../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, planOfChanges, shownChanges } from '../plan/team/change-plan.ts';
import { EVERY_LINE } from '../plan/team/diff-words.ts';
import { remoteMembers } from '../plan/team/remote-members.ts';
import { chooseJob } from '../run/choose.ts';
import { knownAccount, movedFrom } from '../run/known-account.ts';
import { lookIfThere, requireTaken } from '../run/open-ledger.ts';
import { requireFreeColumns } from '../run/pipeline.ts';
import { chooseStore } from '../run/store-choice.ts';
import { missingWords, type PathSearch } from '../values/answer-fields.ts';
import { requireStep } from '../walk/asked-anew.ts';
import { accountsOf, type PlanContext, type ResolvedJob, withAccounts } from '../walk/resolved-job.ts';
import { optionsOf } from '../walk/row-preparer.ts';
import {
  argument,
  type Console,
  command,
  flag,
  type Host,
  onOff,
  type Report,
  text,
} from './shared/command.ts';
import { ACCOUNT_WORDS, accept, COMMON, inOrder, noFileFor, notesOn, someRows } from './shared/input.ts';
import { ENTRIES, entriesOf, READ, readOf, STRICT } from './shared/job-entries.ts';
import { changePlanLines, planLines, unfinishedLine } from './shared/summary.ts';

const planOutput = z.union([PlanObject, ListDescription]);

const planInput = z.strictObject({
  ...COMMON,
  job: argument(
    z.string().optional(),
    'a YAML file, an operation, or several such as find-email,check-email; left out: what the file is',
    { page: 'job' },
  ),
  file: argument(z.string(), 'the input', { page: 'list' }),
  ...READ,
  strict: STRICT,
  ...ENTRIES,
  only: flag(RowRanges.optional(), 'plan the rows with these numbers alone, such as 5,9,12-20', '<numbers>'),
  step: text('plan this step of the job alone, by its name', '<operation>'),
  sample: flag(
    someRows(),
    'say also what so many random rows would cost, as run --sample buys them',
    '<rows>',
  ),
  refresh: onOff('as if every answer that was bought before were too old'),
  all: flag(z.boolean().default(false), 'show every line of a change'),
  each: flag(z.boolean().default(false), 'say what becomes of each row'),
  allow_admin: onOff('plan as for a run with --allow-admin'),
  accept: accept([...ACCOUNT_WORDS, 'large-list', 'shared-host']),
});

type PlanInput = z.output<typeof planInput>;

type PlanReport = Report<z.output<typeof planOutput>>;

export default command({
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy or change; buys and changes nothing.',
  details:
    'A plan ends with its id, which run --plan takes: it then does just that, or nothing. ' +
    'Signs of a change: + an invite, a new project or a call, ~ another role, - a removal, ' +
    '= unchanged, ! invalid or refused, ? in doubt.',
  example: 'plan enrich-company leads.csv',
  work: 'long',
  input: planInput,
  output: planOutput,
  entriesOf: (first = '', second) => (second === undefined ? { file: first } : inOrder(first, second)),
  async run(given, host) {
    const { job, file } = given;
    if (job === undefined)
      return planFile(host.console, file, {
        ...readOf(given),
        ...present({
          strict: given.strict,
          large: given.accept?.includes('large-list') ? 'agreed' : undefined,
        }),
      });
    const planned = await planJob({ ...given, job }, host);
    tellBeginning(host.console, planned);
    return reportOn(planned, given.all, host.words);
  },
});

/** A plan as programs get it, with the further facts that its lines show. */
interface PlannedJob extends ResolvedJob {
  readonly object: PlanObject;
  readonly list: OpenedInput;
  readonly plan: Plan;
  readonly repairableRows: number;
  /** Undefined for a job that only reads. */
  readonly changes: ChangePlan | undefined;
  readonly known: PathSearch | undefined;
  /**
   * The path where the store is missing, so that nothing is known as bought; undefined when there is a store.
   */
  readonly missingStore: string | undefined;
}

/**
 * Plans the purchases of a job for a list, or its changes in the service, while it reads the list once. It
 * creates no store. It sends only the dialect's questions about the members of projects.
 */
async function planJob(input: PlanInput & { readonly job: string }, host: Host): Promise<PlannedJob> {
  const { console, ownParts } = host;
  const { strict, refresh, accept, only, step, sample, each } = input;
  const { operations, dialects } = ownParts;
  const entries = entriesOf(input);
  const chosenJob = await chooseJob({ job: input.job, strict, accept, entries, operations, dialects });
  const { job } = chosenJob;
  requireStep(job.operation.name, step);
  if (accept?.some(isAgreement)) await requireAgreedRequests({ ...chosenJob, accept });
  requireSampled(job, sample);
  const isChange = job.operation.change !== undefined;
  const { location } = chooseStore(input.store, chosenJob.account.sandbox);
  await requireTaken(location, job.operation.name, isChange);
  const ledger = await lookIfThere(location, console.warn);
  try {
    const { account, movedStop } = await planAccount(chosenJob.account, ledger, accept);
    const chosen = { ...(await withAccounts(chosenJob, (each) => knownAccount(each, ledger))), account };
    const opened = await openHeader(input.file, job, ledger);
    await requireRows(opened, only);
    const options = optionsOf(chosen);
    const watch = watchIssues(opened.columns, job, job.operation.preparer(options));
    const list = { ...opened, columns: watch.watched };
    const context = { ...chosen, ledger, refresh, only, step, each, sample, ...heardBy(console, accept) };
    const askedRows = rowsAsked(list.sheet.start, { only });
    const toAgree = await unagreed(chosen);
    const changes = isChange ? await changesOf(context, list, host, toAgree) : undefined;
    const plan =
      changes === undefined ? await planPart(context, list) : planOfChanges(changes, account, askedRows);
    if (plan.rows === 0) throw noRows(list);
    const answers = isChange ? undefined : await searchAnswers(ledger, chosen, ANSWERS_SHOWN);
    const reread = await rereadOf(context, opened);
    const { repairableRows, ...found } = watch.found();
    const { id, batch } = await identifyPlan(context, list, plan, changes);
    await requireFreeColumns(context, list, batch);
    const { part: _part, ...figures } = plan;
    const { columns, because } = list.columns;
    const requests = sentRequests(chosen);
    const object: PlanObject = {
      id,
      columns,
      ...figures,
      ...sheetsOf(list.sheet),
      ...found,
      ...(changes && shownChanges(changes, guardProblems({ job, allowAdmin: input.allow_admin }, changes))),
      ...present({
        this_run: partOf(plan),
        short_budgets: await shortBudgets(accountsOf(chosen), ledger, plan),
        unfinished: batch?.state === 'open' ? batch.id : undefined,
        because: because.size === 0 ? undefined : Object.fromEntries(because),
        repaired: job.repair === true ? repairableRows : undefined,
        fields: answers && [...answers.paths],
        moved: movedStop && wordsShown(movedStop.detail),
        requests: requests.length === 0 ? undefined : requests,
        to_agree: toAgree && { ...toAgree, details: [...toAgree.details] },
        reread,
      }),
    };
    const missingStore = ledger === undefined ? location : undefined;
    return { ...chosen, object, list, plan, repairableRows, changes, known: answers, missingStore };
  } finally {
    await ledger?.close();
  }
}

/** A run that fits its own budget may still reach one of its account, so a person knows before the start. */
async function shortBudgets(
  accounts: readonly { readonly account: Account }[],
  ledger: LedgerReader | undefined,
  { credits, steps, to_buy: toBuy }: Plan,
): Promise<PlanObject['short_budgets']> {
  const short: ShortBudgetObject[] = [];
  for (const { account } of accounts) {
    const ownSteps = steps?.filter((step) => step.account === account.name);
    const most = ownSteps === undefined ? credits.most : ownSteps.reduce((sum, step) => sum + step.most, 0);
    // Where one of several accounts has no more, the next one is asked.
    const isOnly = accounts.length === 1;
    const tooSmall = (await budgetsLeft(account, ledger)).filter((each) => each.left < most);
    for (const each of tooSmall)
      short.push({ ...each, ...(isOnly && { rows: Math.floor((toBuy * each.left) / most) }) });
  }
  return short.length === 0 ? undefined : short;
}

async function budgetsLeft(
  { name, identity, budget }: Account,
  ledger: LedgerReader | undefined,
): Promise<readonly ShortBudgetObject[]> {
  const budgets = [
    { period: 'day', cap: budget.perDay },
    { period: 'month', cap: budget.perMonth },
  ] as const;
  const accountBudgets: ShortBudgetObject[] = [];
  for (const { period, cap } of budgets) {
    if (cap === undefined) continue;
    const money = await ledger?.accountMoney(identity, period, systemClock.wallMs());
    const held = money ? money.spent + money.reserved + money.inDoubt : 0;
    accountBudgets.push({ account: name, period, cap, left: Math.max(0, cap - held) });
  }
  return accountBudgets;
}

/** A run of a part may fit what is left of the account. */
const shortBudgetLines = ({ short_budgets: short, ...plan }: PlanObject): readonly string[] | undefined =>
  short
    ?.filter(({ left }) => left < (plan.this_run?.credits ?? plan.credits.most))
    .map((each) => `  budget         ${shortBudgetWords(each, plan)}`);

/** A page is looked at, and asks every second. */
const MOMENT_MS = 250;

function heardBy(console: Console, accept: PlanInput['accept']): Pick<PlanContext, 'shared' | 'hearSoFar'> {
  let dueMs = 0;
  const hearSoFar: PlanContext['hearSoFar'] = (soFar) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs < dueMs) return;
    dueMs = nowMs + MOMENT_MS;
    console.soFar(soFar());
  };
  return { shared: sharedAccepted(accept), hearSoFar };
}

/** Rows that would be set aside are planned as they are asked where a person takes them. */
const sharedAccepted = (accept: PlanInput['accept']) => (isTakingAside(accept) ? NO_SHARED_HOSTS : undefined);

const partOf = ({ part }: Plan): PlanObject['this_run'] =>
  part && { rows: part.rows, credits: part.most, ...present({ cost: part.cost }) };

function reportOn(planned: PlannedJob, isAll: boolean, words: readonly string[]): PlanReport {
  const { object, plan, changes, known, repairableRows, missingStore } = planned;
  const { unfinished, reread, unanswered, asked_otherwise: otherwise, to_agree: toAgree } = object;
  const repairs = object.repaired !== undefined;
  return {
    lines: linesOf(
      changes === undefined
        ? planLines(plan)
        : changePlanLines(changes, plan, object.guards, isAll ? EVERY_LINE : undefined),
      jobDamageLines(object.damage, repairableRows, repairs),
      blankLines(object.blank_words),
      object.role_addresses && roleLine(object.role_addresses),
      object.redirects?.map(redirectLine),
      changes === undefined && unfinished && unfinishedLine(unfinished, plan),
      shortBudgetLines(object),
      object.each?.map(eachLine),
      object.moved && `  moved          ${object.moved.message} ${object.moved.next}`,
      reread && `  ${rereadWords(reread)} A run does that with --yes.`,
      reread === undefined && unanswered && `  ${AGREED_TO}`,
      reread === undefined && otherwise && `  ${otherwiseWords(otherwise.rows)}. ${OTHERWISE_AGREED_TO}`,
      `  id             ${object.id}`,
    ),
    object,
    advice: linesOf(
      known?.missing().map(missingWords),
      toAgree && [
        'A run asks you first. To agree once:',
        commandLine([...words, '--accept', toAgree.agreement]),
      ],
      missingStore !== undefined &&
        `There is no store at ${missingStore} yet, ` +
          `so nothing is known as ${changes === undefined ? 'bought' : 'changed by us'}.`,
    ),
  };
}

/**
 * @returns the account, and, where no one has answered yet, why a run would first ask which account it is.
 */
async function planAccount(
  givenAccount: Account,
  ledger: LedgerReader | undefined,
  accept: PlanInput['accept'],
): Promise<{ readonly account: Account; readonly movedStop?: StopError }> {
  const account = await knownAccount(givenAccount, ledger);
  const movedAccount = await movedFrom(givenAccount, ledger);
  const [isSame, isNew] = ACCOUNT_WORDS.map((word) => accept?.includes(word) === true);
  if (movedAccount === undefined || (isNew && !isSame)) return { account };
  return isSame && !isNew
    ? { account: { ...account, identity: movedAccount.identity } }
    : { account, movedStop: movedAccount.stopped };
}

const eachLine = ({ is, says, rows }: NonNullable<PlanObject['each']>[number]): string =>
  `  ${is.replace('_', ' ').padEnd(14)} rows ${rows}${says === undefined ? '' : `: ${plainText(says)}`}`;

const OTHERWISE_AGREED_TO = 'They are bought again only if you agree: with --yes, or when a run asks.';

const AGREED_TO =
  'A call with an answer that turned out to be none is bought again only if you agree: ' +
  'with --yes, or when a run asks.';

function tellBeginning(console: Console, planned: PlannedJob): void {
  const { job, account, dialect, further, list, object } = planned;
  const { path, columns, sheet } = list;
  const { requests = [], to_agree: toAgree } = object;
  const accounts = [account, ...further.map((furtherAccount) => furtherAccount.account)].map(
    ({ name }) => name,
  );
  const by = `${accounts.length === 1 ? 'account' : 'accounts'} ${accounts.join(', ')}`;
  console.print(plainText(`${job.name} over ${path}, with ${by}`));
  console.print(
    `  columns        ${guessWords(columns)}${columns.guessed ? ` (${guessedHow(columns)})` : ''}`,
  );
  const order = waterfallOf(job, columns.columns);
  // Where a list has only one identifier, its column tells which one.
  const isTold = order.every((tier) => order.length === 1 && columns.columns[tier] !== undefined);
  if (!isTold) console.print(`  looked up by   ${order.join(', then ')}`);
  for (const request of requests) console.print(`  request        ${requestWords(request)}`);
  if (toAgree !== undefined) {
    console.print(`  to agree       ${toAgree.fact}:`);
    for (const detail of toAgree.details) console.print(`                 ${detail}`);
  }
  for (const note of [...sheet.notes, ...skippingNotes({ job, account, dialect, further })])
    console.say(plainText(note));
  if (columns.note !== undefined) console.say(plainText(columns.note));
}

/** Where a lost call is left out, another account is paid although the first may have been. */
function skippingNotes(resolved: ResolvedJob): readonly string[] {
  const prices = accountsOf(resolved).map(({ dialect }) => dialect.operations);
  const steps = resolved.job.steps?.filter(
    ({ name, accounts }) => accounts.length > 1 && policyOfStep(resolved.job, name) === 'skip',
  );
  return (steps ?? []).map(({ name }) => {
    const most = Math.max(...prices.map((operations) => operations[name]?.credits.most ?? 0));
    const fact = `in_doubt: skip at ${name} asks the next account where an answer is lost`;
    return `${fact}, although up to ${counted(most, 'credit')} may have been charged for it already.`;
  });
}

/** The first question that a run asks a person. */
async function unagreed(chosen: ResolvedJob): Promise<AgreementQuestion | undefined> {
  for (const question of questionsOf(chosen)) if (!(await isAgreed(question.agreement))) return question;
  return undefined;
}

/**
 * The changes of the plan. While no one has agreed to the questions of a dialect, the plan uses the members
 * that the ledger remembers, because a run asks the person first.
 */
function changesOf(
  context: PlanContext,
  list: OpenedInput,
  host: Host,
  toAgree: AgreementQuestion | undefined,
): Promise<ChangePlan> {
  const { account, dialect, ledger } = context;
  const emit = notesOn(host);
  const signal = host.ownParts.signal ?? new AbortController().signal;
  return planChanges(context, list, async (projects) => {
    if (toAgree === undefined)
      return remoteMembers({ account, dialect, clock: systemClock, emit, signal, ledger }, projects);
    const message =
      'The service was not asked who is in the projects, ' +
      'because you have not agreed yet to what the dialect sends.';
    emit({ kind: 'note', message });
    return undefined;
  });
}

/** This many answers show the fields that `add` may name, and are read in a moment. */
const ANSWERS_SHOWN = 200;

async function planFile(console: Console, file: string, read: ReadOptions): Promise<PlanReport> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  if (operations.has(file) || isYamlName(file)) throw await noFileFor(file, 'plan');
  const input = await openFile(file, read);
  const description = await describeFile(input, operations.values());
  if (description.rows === 0) throw noRows(input);
  for (const note of input.sheet.notes) console.say(plainText(note));
  const header = await input.sheet.header();
  const used = description.operations.flatMap(({ columns }) => Object.values(columns));
  const twice = header.find((name, at) => used.includes(name) && header.indexOf(name) < at);
  if (twice !== undefined)
    console.say(`Several columns are called ${foreignName(twice)}: a run needs a name for each.`);
  return { lines: descriptionLines(input.path, description), object: description };
}

// -------------------------------------------------------------------------------------------- what a list is

const LOOKS: Readonly<Record<string, string>> = {
  ABN: 'an ABN',
  'e-mail': 'an e-mail address',
  website: 'a website',
  date: 'a date',
  phone: 'a telephone number',
  number: 'a number',
  text: 'text',
  blank: 'a blank cell',
} satisfies Record<CellLook | 'blank', string>;

function descriptionLines(
  path: string,
  { rows, encoding, delimiter, columns, duplicates, operations, unreadable }: ListDescription,
): readonly string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  // A workbook and JSON lines have no delimiter between their cells.
  const separated = delimiter === 'cells' ? [] : [`separated by ${delimiter}`];
  return linesOf(
    `${path}: ` +
      `${[counted(rows, 'row'), counted(columns.length, 'column'), encoding, ...separated].join(', ')}`,
    columns.flatMap(({ name, looks_like: looks, filled, examples, odd, damage }) =>
      linesOf(
        `  ${name.padEnd(width)}  ${looks.padEnd(7)}${filledWords(filled, examples)}`,
        odd.count > 0 &&
          `  ${' '.repeat(width)}  ${odd.count} ${odd.count === 1 ? 'does' : 'do'} not look like ` +
            `${LOOKS[looks]}: row ${odd.first_rows.join(', ')}`,
        damage.map((finding) => `  ${' '.repeat(width)}  ${findingWords(finding)}`),
      ),
    ),
    unreadableLines(unreadable),
    duplicateLines(duplicates),
    fitLines(operations),
  );
}

/** How many cells are filled; empty for a blank column, because its kind already says so. */
function filledWords(filled: number, examples: readonly string[]): string {
  return filled === 0 ? '' : `  ${filled} filled, such as ${examples.join(' | ')}`;
}

function unreadableLines({ count, first }: ListDescription['unreadable']): readonly string[] {
  if (count === 0) return [];
  const more = count - first.length;
  return [
    `unreadable ${counted(count, 'row')}, which a run sets aside as invalid and --strict refuses:`,
    ...first.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(more === 0 ? [] : [`  and ${counted(more, 'other')}`]),
  ];
}

// ------------------------------------------------------------------------------------------------ operations

function fitLines(fits: readonly OperationFit[]): readonly string[] {
  const sure = fits.filter(({ problem }) => problem === null);
  const likely = fits.filter((fit) => mayFit(fit));
  // All operations that do not fit share one line, because they are many; `--json` has the reasons.
  const others = fits.filter((fit) => fit.problem !== null && !mayFit(fit));
  return linesOf(
    sure.flatMap((fit) => [line('fits', `${fit.operation}: ${sureWords(fit)}`), ...likelyLines(fit)]),
    likely.flatMap((fit) => [line('may fit', `${fit.operation}, ${NOT_BY_ITSELF}`), ...likelyLines(fit)]),
    others.length > 0 && line('does not fit', others.map(({ operation }) => operation).join(', ')),
  );
}

const NOT_BY_ITSELF = 'if you choose the columns';

function mayFit({ problem, likely }: OperationFit): boolean {
  return problem !== null && likely.length > 0;
}

function sureWords({ columns, because }: OperationFit): string {
  return guessWords({ columns, because: new Map(Object.entries(because)) });
}

function likelyLines({ likely }: OperationFit): readonly string[] {
  const [first] = likely;
  if (first === undefined) return [];
  const words = likely.map(({ input, column, because }) => `${input} ← ${column} (${because})`);
  return [line('', `likely: ${words.join(', ')}`), line('', `if so:  ${columnFlag(first)}`)];
}

function line(label: string, words: string): string {
  return `${label.padEnd(13)} ${words}`;
}

// ------------------------------------------------------------------------------------------------ its damage

/** `2 with more than the address: row 3, 7; such as Jo <jo@x.com> → jo@x.com`. */
export function findingWords({ words, repairable, examples, ...rows }: DamageObject): string {
  const example = examples.find((each) => repairable === 0 || each.repaired !== undefined);
  const cells = linesOf(example?.cell.trim(), example?.repaired);
  const such = cells.map((text) => foreignWords(text, LONGEST_SHOWN)).join(' → ');
  return `${rows.count} ${words}: ${rowWords(rows)}${such === '' ? '' : `; such as ${such}`}`;
}

function rowWords({ count, first_rows: rows }: RowsObject): string {
  return `row ${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
}

const LONGEST_SHOWN = 60;

/** The lines below the plan of a job. */
function jobDamageLines(
  damage: readonly JobDamageObject[],
  repairableRows: number,
  repairs: boolean,
): readonly string[] {
  const found = damage.map((each) => `  damage         ${each.column}: ${findingWords(each)}`);
  const rows = counted(repairableRows, 'row');
  if (repairs) return [...found, `  repaired       ${rows}`];
  return repairableRows === 0 ? found : [...found, `  --repair       would repair what is sent for ${rows}`];
}

const roleLine = (rows: RowsObject): string =>
  `  addresses      ${counted(rows.count, 'row')} with that of a department or a machine, such as info@: ` +
  rowWords(rows);

const redirectLine = ({ column, cell, asked, ...rows }: RedirectObject): string =>
  `  redirects      ${column}: ${counted(rows.count, 'row is', 'rows are')} asked by the address behind a link, ` +
  `such as ${foreignWords(asked, LONGEST_SHOWN)} for ${foreignWords(cell, LONGEST_SHOWN)}: ${rowWords(rows)}`;

/** One line for each column. */
function blankLines(words: readonly BlankWordObject[] = []): readonly string[] {
  return [...Map.groupBy(words, ({ column }) => column)].map(([column, columnWords]) => {
    const shown = columnWords.map(({ word, ...rows }) => `${foreignName(word)} (${rowWords(rows)})`);
    return `  blank          ${column}: ${listed(shown)}`;
  });
}

function duplicateLines({ same }: DuplicatesObject): readonly string[] {
  return same.count === 0
    ? []
    : [`duplicates ${counted(same.count, 'row')} the same as an earlier row: ${rowWords(same)}`];
}
