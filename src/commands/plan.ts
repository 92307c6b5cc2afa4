import { z } from 'zod';
import type { Account } from '../client/account/account.ts';
import { isAgreed, type Question } from '../client/account/agreements.ts';
import { answerPlaceOf, type Dialect, dialectQuestion } from '../client/dialect.ts';
import { fieldsOf } from '../core/answer-body.ts';
import { PathSearch } from '../core/answer-fields.ts';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { loadFamily } from '../core/family.ts';
import type { ReadOptions } from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { Operation } from '../core/operation.ts';
import { ourNameRefused } from '../core/our-columns.ts';
import { linesOf, plainText } from '../core/plain-text.ts';
import { stepNames } from '../core/steps.ts';
import { guessWords } from '../files/columns/columns.ts';
import { describeFile, sheetsOf } from '../files/describe-file.ts';
import { type OpenedInput, openFile, openHeader } from '../files/input.ts';
import { shownBody } from '../files/output/output.ts';
import { watchIssues } from '../files/quality/job-issues.ts';
import { waterfallOf } from '../job/job.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { ListDescription } from '../objects/list-object.ts';
import { PlanObject } from '../objects/plan-object.ts';
import { rereadOf, rereadWords } from '../plan/batch.ts';
import { requestWords, requireAgreedRequests, sentRequests } from '../plan/consent.ts';
import { type Plan, planRows } from '../plan/plan.ts';
import { identifyPlan } from '../plan/plan-id.ts';
import type { PlanContext, ResolvedJob } from '../plan/row-walk.ts';
import { guardProblems } from '../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, planOfChanges, shownChanges } from '../plan/team/change-plan.ts';
import { EVERY_LINE } from '../plan/team/diff-words.ts';
import { remoteMembers } from '../plan/team/remote-members.ts';
import { choose } from '../run/choose.ts';
import { lookIfThere, requireTaken } from '../run/open-ledger.ts';
import { requireFreeColumns } from '../run/pipeline.ts';
import { requireFitting } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { jobDamageLines } from './shared/cell-issues.ts';
import { argument, type Console, command, flag, type Host, type Report } from './shared/command.ts';
import { descriptionLines } from './shared/description.ts';
import { accept, COMMON, notesOn } from './shared/input.ts';
import { ENTRIES, entriesOf, READ, readOf, STRICT } from './shared/job-entries.ts';
import { changePlanLines, knownFieldLine, planLines, unfinishedLine } from './shared/plan-lines.ts';

const output = z.union([PlanObject, ListDescription]);

const input = z.strictObject({
  ...COMMON,
  job: argument(
    z.string().optional(),
    'a YAML file, or an operation, or several such as enrich-company,enrich-person; left out: what the file is',
    { page: 'job' },
  ),
  file: argument(z.string(), 'the input', { page: 'list' }),
  ...READ,
  strict: STRICT,
  ...ENTRIES,
  refresh: flag(z.boolean().optional(), 'as if every answer that was bought before were too old'),
  all: flag(z.boolean().default(false), 'show every line of a change'),
  allow_admin: flag(z.boolean().optional(), 'plan as for a run with --allow-admin'),
  accept: accept(),
});

type Input = z.output<typeof input>;

type Told = Report<z.output<typeof output>>;

export default command({
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy or change; buys and changes nothing.',
  details:
    'A plan ends with its id, which run --plan takes: it then does just that, or nothing. Signs of a change: + an invite, a new project or a call, ~ another role, - a removal, = unchanged, ! invalid or refused, ? in doubt.',
  example: 'plan enrich-company leads.csv',
  work: 'long',
  input,
  output,
  entriesOf: (first, second) => (second === undefined ? { file: first } : { job: first, file: second }),
  async run(given, host) {
    const { job, file } = given;
    if (job === undefined)
      return planFile(host.console, file, { ...readOf(given), ...present({ strict: given.strict }) });
    const planned = await planJob({ ...given, job }, host);
    tellBeginning(host.console, planned);
    return reportOf(planned, given.all, host.words);
  },
});

/** A plan as programs are told it, with what its lines say besides. */
interface PlannedJob extends ResolvedJob {
  readonly object: PlanObject;
  readonly list: OpenedInput;
  readonly plan: Plan;
  readonly repairableRows: number;
  /** Undefined for a job that only reads. */
  readonly changes: ChangePlan | undefined;
  readonly known: PathSearch | undefined;
  /** The path where the store is missing, so that nothing is known as bought; undefined when there is a store. */
  readonly missingStore: string | undefined;
}

/**
 * Plans what a job would buy for a list, in one reading of it, or change in the service. It creates no store. It sends only
 * the dialect's questions about who is in a project.
 */
async function planJob(input: Input & { readonly job: string }, host: Host): Promise<PlannedJob> {
  const { console, own } = host;
  const { strict, refresh, accept } = input;
  const { operations, dialects } = own;
  const chosen = await choose({ job: input.job, strict, entries: entriesOf(input), operations, dialects });
  const { job, account, dialect } = chosen;
  requireFitting(job, { refresh });
  if (accept !== undefined) await requireAgreedRequests({ account, dialect, accept });
  const isChange = job.operation.change !== undefined;
  const { location } = chooseStore(input.store, account.sandbox);
  await requireTaken(location, job.operation.name, isChange);
  const ledger = await lookIfThere(location, console.warn);
  try {
    const opened = await openHeader(input.file, job, ledger);
    const watch = watchIssues(opened.columns);
    const list = { ...opened, columns: watch.watched };
    const context = { ...chosen, ledger, refresh };
    const toAgree = await unagreed(account, dialect);
    const changes = isChange ? await changesOf(context, list, host, toAgree) : undefined;
    const plan = changes === undefined ? await planRows(context, list) : planOfChanges(changes, account);
    const known = isChange ? undefined : await knownAnswers(ledger, chosen);
    const reread = await rereadOf(context, opened);
    const { damage, repairableRows } = watch.found();
    const { id, batch } = await identifyPlan(context, list, plan, changes);
    await requireFreeColumns(context, list, batch);
    const { part: _part, atRisk: _atRisk, ...figures } = plan;
    const { columns, because } = list.columns;
    const requests = sentRequests(chosen);
    const object: PlanObject = {
      ...{ id, columns, ...figures, ...sheetsOf(list.sheet), damage },
      ...(changes && shownChanges(changes, guardProblems({ job, allowAdmin: input.allow_admin }, changes))),
      ...present({
        unfinished: batch?.state === 'open' ? batch.id : undefined,
        because: because.size === 0 ? undefined : Object.fromEntries(because),
        repaired: job.repair === true ? repairableRows : undefined,
        fields: known && [...known.paths],
        field_examples: known && Object.fromEntries(known.examples),
        requests: requests.length === 0 ? undefined : requests,
        to_agree: toAgree && { ...toAgree, details: [...toAgree.details] },
        reread,
      }),
    };
    const missingStore = ledger === undefined ? location : undefined;
    return { ...chosen, object, list, plan, repairableRows, changes, known, missingStore };
  } finally {
    await ledger?.close();
  }
}

function reportOf(planned: PlannedJob, isAll: boolean, words: readonly string[]): Told {
  const { object, plan, changes, known, repairableRows, missingStore } = planned;
  const { unfinished, reread, unanswered, to_agree: toAgree } = object;
  const repairs = object.repaired !== undefined;
  return {
    lines: linesOf(
      changes === undefined
        ? planLines(plan)
        : changePlanLines(changes, plan, object.guards, isAll ? EVERY_LINE : undefined),
      jobDamageLines(object.damage, repairableRows, repairs),
      changes === undefined && unfinished && unfinishedLine(unfinished, plan),
      known && knownFieldLine(known),
      reread && `  ${rereadWords(reread)} A run asks first.`,
      reread === undefined && unanswered && `  ${AGREED_TO}`,
      `  id             ${object.id}`,
    ),
    object,
    advice: linesOf(
      known?.sentences(),
      toAgree && [
        'A run asks you first. To agree once:',
        commandLine([...words, '--accept', toAgree.agreement]),
      ],
      missingStore !== undefined &&
        `There is no store at ${missingStore} yet, so nothing is known as ${changes === undefined ? 'bought' : 'changed by us'}.`,
    ),
  };
}

const AGREED_TO =
  'Calls whose answer turned out to be none are bought again only if you agree: with --yes, or when a run asks.';

function tellBeginning(console: Console, { job, account, list, object }: PlannedJob): void {
  const { path, columns, sheet } = list;
  const { requests = [], to_agree: toAgree } = object;
  console.print(plainText(`${job.name} over ${path}, with account ${account.name}`));
  console.print(`  columns        ${guessWords(columns)}${columns.guessed ? ' (guessed)' : ''}`);
  const order = waterfallOf(job, columns.columns);
  // The only identifier of a list is told by its column.
  const isTold = order.every((tier) => order.length === 1 && columns.columns[tier] !== undefined);
  if (!isTold) console.print(`  looked up by   ${order.join(', then ')}`);
  for (const request of requests) console.print(`  request        ${requestWords(request)}`);
  if (toAgree !== undefined) {
    console.print(`  to agree       ${toAgree.fact}:`);
    for (const detail of toAgree.details) console.print(`                 ${detail}`);
  }
  for (const note of sheet.notes) console.say(plainText(note));
  if (columns.note !== undefined) console.say(plainText(columns.note));
}

/** What a run asks a person about first, as its dialect sends other requests than the built-in one. */
async function unagreed({ baseUrl }: Account, dialect: Dialect): Promise<Question | undefined> {
  const question = baseUrl && dialectQuestion(dialect, baseUrl);
  return question === undefined || (await isAgreed(question.agreement)) ? undefined : question;
}

/** What the ledger remembers counts while nobody has agreed to the questions of a dialect: a run asks first. */
function changesOf(
  context: PlanContext,
  list: OpenedInput,
  host: Host,
  toAgree: Question | undefined,
): Promise<ChangePlan> {
  const { account, dialect } = context;
  const emit = notesOn(host);
  const signal = host.own.signal ?? new AbortController().signal;
  return planChanges(context, list, async (projects) => {
    if (toAgree === undefined)
      return remoteMembers({ account, dialect, clock: systemClock, emit, signal }, projects);
    const message =
      'The service was not asked who is in the projects, because nobody has agreed yet to what the dialect sends.';
    emit({ kind: 'note', message });
    return undefined;
  });
}

/** How many answers are read: enough to see every field that matters, and few enough to read in a moment. */
const ANSWERS_READ = 200;

const BATCHES_READ = 20;

/** The fields of an operation's answers so far, for who chooses what the job adds. Undefined when there is no answer yet. */
async function knownAnswers(
  ledger: LedgerReader | undefined,
  { job: { operation, add = {} }, account: { identity }, dialect }: ResolvedJob,
): Promise<PathSearch | undefined> {
  const { name } = operation;
  const paths = new PathSearch(Object.values(add));
  const place = answerPlaceOf(dialect, name);
  const names = [name, ...stepNames(name)];
  const batches = ((await ledger?.batches()) ?? []).filter(
    (batch) => names.includes(batch.operation) && batch.accountIdentity === identity,
  );
  const attempts = new Set<number>();
  for (const { id } of batches.slice(0, BATCHES_READ)) {
    for (const { answers } of (await ledger?.rows(id, 0, ANSWERS_READ)) ?? []) {
      const last = answers.findLast(({ kind }) => kind === 'found');
      const body = shownBody(answers, place);
      if (last === undefined || body === undefined || attempts.has(last.attempt)) continue;
      attempts.add(last.attempt);
      paths.look(fieldsOf(body, place));
      if (attempts.size === ANSWERS_READ) return paths;
    }
  }
  return attempts.size === 0 ? undefined : paths;
}

async function planFile(console: Console, file: string, read: ReadOptions): Promise<Told> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  if (operations.has(file) || /\.ya?ml$/i.test(file)) {
    const named = commandLine(['plan', file, 'FILE']);
    throw stop(
      'usage',
      `${file} is a job, and no file is named to plan it for.`,
      'Name the file as well.',
      named,
    );
  }
  const input = await openFile(file, read);
  const description = await describeFile(input, operations.values());
  for (const note of input.sheet.notes) console.say(plainText(note));
  const refused = ourNameRefused(await input.sheet.header());
  if (refused !== undefined) console.say(`${refused.message} ${refused.next}`);
  return {
    lines: descriptionLines(input.path, description),
    object: description,
  };
}
