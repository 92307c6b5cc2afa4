import { open } from 'node:fs/promises';
import { answerPlaceOf, type Dialect, dialectOperationOf, requireOperation } from '../../client/dialect.ts';
import { leftBy, oddAnswerIn } from '../../client/judge.ts';
import {
  type AnswerPlace,
  bodyHolding,
  bytesOf,
  mergedValue,
  placeOfAnswer,
  readBody,
} from '../../core/answer-body.ts';
import { StopError, stop, suggestion } from '../../core/errors.ts';
import { finding, together } from '../../core/finding.ts';
import { type Findings, keptFindings } from '../../core/findings.ts';
import {
  EMAIL_VERDICTS,
  type EmailVerdict,
  type VerdictWords,
  vendorsWord,
  verdictsOf,
} from '../../core/given.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import { asFlag, byFlag, faces, phrase, typing } from '../../core/phrase.ts';
import { capital, counted, foreignWords } from '../../core/plain-text.ts';
import { wordsOf } from '../../core/steps.ts';
import { inputFileOf } from '../../files/called.ts';
import { openHeader } from '../../files/input.ts';
import { triedBy } from '../../job/job-origin.ts';
import { saidBeside, settingsKept } from '../../job/job-settings.ts';
import {
  type AnswerAtHand,
  type AnswerKind,
  type AttemptId,
  type Batch,
  type BatchId,
  type CallState,
  type Doubt,
  type FinishedRow,
  type Ledger,
  type LedgerReader,
  type Reply,
  standingDecision,
  undoneBy,
} from '../../ledger/ledger.ts';
import { piecesOf, sha256Of } from '../../lib/atomic-file.ts';
import { commandLine } from '../../lib/command-line.ts';
import { batchKeyOf } from '../../plan/batch-key.ts';
import { chooseJob } from '../../run/choose.ts';
import { inDoubt, rowHere } from '../../run/doubts.ts';
import { dialectFor, knownAccount, movedFrom, unlessStopped } from '../../run/known-account.ts';
import { leftIn, taskMaker } from '../../run/row-tasks.ts';
import { type KnownCall, restsOn, tellRow, type UnansweredCall } from '../../run/rows.ts';
import { accountsOf, type ResolvedJob, withAccounts } from '../../walk/resolved-job.ts';
import { RowWalk, type WalkedRow } from '../../walk/row-walk.ts';

/**
 * An answer that a person gives for a call ends the rows that wait for the call, unless their operations need
 * more calls.
 */

type ToldAnswer = Pick<AnswerAtHand, 'why' | 'body'> & {
  readonly kind: Extract<AnswerKind, 'found' | 'no_match'>;
};

/** The answer to a call, or the decision that a batch leaves the call out. */
type DoubtAnswer = ToldAnswer | { readonly kind: 'skipped'; readonly why: Findings };

/**
 * @param only the batch with rows that end; left out: those of every batch.
 * @returns the rows that end, also rows of several steps that are in doubt still. The other rows go on with
 * the next run of their batch.
 */
export async function rowsToldOf(
  ledger: Ledger,
  doubt: Doubt,
  doubtAnswer: DoubtAnswer,
  only?: BatchId,
): Promise<readonly FinishedRow[]> {
  const ended: FinishedRow[] = [];
  const places = Map.groupBy(await ledger.rowsRestingOn(doubt.attempt), ({ batch }) => batch);
  for (const [id, rows] of places) {
    const batch = only === undefined || id === only ? await ledger.batch(id) : undefined;
    if (batch === undefined) continue;
    const walking = await walkingIn(ledger, batch);
    for (const { row } of rows) {
      const walked = await walking(row, doubt, doubtAnswer);
      if (walked !== undefined) ended.push({ batch: id, row, ...walked });
    }
  }
  return ended;
}

type WalkResult = Pick<FinishedRow, 'outcome' | 'answers' | 'fills'>;
type WalkOf = (row: number, doubt: Doubt, doubtAnswer: DoubtAnswer) => Promise<WalkResult | undefined>;

/**
 * Walks the rows of a batch. If its job is gone or has changed, no one knows which other calls a row needs,
 * so no row of it ends.
 */
async function walkingIn(ledger: Ledger, batch: Batch): Promise<WalkOf> {
  const job = await unlessStopped(jobOfBatch(batch));
  const taskOf = job && (await taskMaker(job, batch));
  return async (row, doubt, doubtAnswer) => {
    const rowLeft = taskOf && (await leftIn(ledger, batch, { fromRow: row, beforeRow: row + 1 }));
    const task = rowLeft && taskOf?.(rowLeft);
    return job && task?.kind === 'work'
      ? walked(ledger, batch, job, task.work, { doubt, answer: doubtAnswer })
      : undefined;
  };
}

/** @returns how the row ends; undefined where it needs a call that has no answer yet. */
async function walked(
  ledger: LedgerReader,
  { id }: Batch,
  resolved: ResolvedJob,
  work: WalkedRow,
  { doubt, answer }: { readonly doubt: Doubt; readonly answer: DoubtAnswer },
): Promise<WalkResult | undefined> {
  const walk = new RowWalk(resolved.job.operation, accountsOf(resolved), work);
  const answers: AttemptId[] = [];
  const unanswered: UnansweredCall[] = [];
  const row = { walk, answers, unanswered };
  for (;;) {
    const next = walk.next();
    if (next.kind === 'waits') return undefined;
    if (next.kind === 'end') {
      const { calls } = restsOn(next.outcome, answers, unanswered);
      return { outcome: next.outcome, answers: calls, ...present({ fills: next.fills }) };
    }
    const { met } = next;
    const [state] = await ledger.find([met.key], { batch: id });
    const known = met.key === doubt.key ? asSaid(answer, doubt) : standing(id, state);
    if (known !== undefined) tellRow(row, met, known);
    else if (next.kind === 'call') return undefined;
    else walk.pass(met, state?.kind === 'unknown' ? 'looked' : 'held');
  }
}

function asSaid(doubtAnswer: DoubtAnswer, { attempt, batch }: Doubt): KnownCall {
  if (doubtAnswer.kind === 'skipped')
    return { kind: 'skipped', findings: doubtAnswer.why, attempt, leavesOut: true };
  return { kind: 'answered', answer: { ...doubtAnswer, attempt, batch } };
}

/** The state of another step of the row, which may be in doubt as well. */
function standing(batch: BatchId, state: CallState | undefined): KnownCall | undefined {
  if (state?.kind === 'answered') return state.answer.erasedAtMs === undefined ? state : undefined;
  if (state?.kind !== 'in_doubt') return undefined;
  const { doubt } = state;
  const decision = standingDecision(state);
  if (decision !== undefined && decision.kind !== 'skip') return undefined;
  return decision === undefined
    ? { kind: 'in_doubt', findings: inDoubt(doubt, batch), attempt: doubt.attempt }
    : { kind: 'skipped', findings: skippedByUser(doubt), attempt: doubt.attempt, leavesOut: true };
}

export const skippedByUser = ({ why }: Pick<Doubt, 'why'>): Findings =>
  together(finding('skipped_by_user', {}), why);

// ----------------------------------------------------------------------------------------- what was answered

/** The answer that a person says the vendor gave, in the form in which the vendor would have given it. */
interface ToldReply {
  readonly kind: 'found' | 'no_match';
  readonly reply: Reply;
  /** The state in which a change left its subject; absent for other calls. */
  readonly leftFacts?: SubjectFacts;
}

type Pairs = Readonly<Record<string, string>>;

/**
 * @param pairs `key=value`, or `no_match` for a lookup.
 * The other fields of an answer that arrived, and that the dialect could not read, become part of it.
 * @throws StopError `usage` for a pair or a name that the answer cannot have.
 */
export async function toldAnswer(
  { batch, ledger }: { readonly batch: Batch; readonly ledger: LedgerReader },
  { call, accountIdentity, reply: keptReply }: Doubt,
  pairs: readonly string[],
  nowMs: number,
): Promise<ToldReply> {
  if (pairs.length === 1 && pairs[0] === NOTHING_FOUND && call.change === undefined)
    return { kind: 'no_match', reply: { ...EMPTY, receivedAtMs: nowMs } };
  const facts = Object.fromEntries(pairs.map(pairOf));
  const replyWith = (body: Buffer): Reply => ({
    status: 200,
    headers: {},
    receivedAtMs: nowMs,
    // The text of an error is not part of the answer.
    body:
      keptReply !== undefined && Math.floor(keptReply.status / 100) === 2
        ? mergedBody(keptReply.body, body)
        : body,
  });
  if (call.change !== undefined) return toldChange(call, facts, await dialectFor(batch, ledger), replyWith);
  const { answer_at: answerPlace, add, operation } = settingsKept(batch.settings);
  // A check of an address is no step, so a row reads its verdict as today's dialect has it.
  if (answerPlace.steps !== undefined && !Object.hasOwn(answerPlace.steps, call.operation)) {
    const dialect = await dialectFor(batch, ledger, accountIdentity);
    requireOperation(dialect, call.operation);
    const place = answerPlaceOf(dialect, call.operation);
    const known = verdictsWith(place.verdicts ?? {}).map((each) => `verdict=${each}`);
    const fact = `Nothing is read in the answer to ${call.operation} but its verdict, so not`;
    requireNames(facts, ['verdict'], (unknown) => `${fact} ${unknown}.`, known);
    return { kind: 'found', reply: replyWith(bodyHolding(inVendorsWords(facts, place), place)) };
  }
  if (add !== undefined && operation.resultsFile === undefined) {
    const ofStep = wordsOf({ name: call.operation }, Object.values(add));
    const read = ofStep.length > 0 ? ofStep : Object.values(add);
    requireNames(facts, read, (unknown) => `No column of this batch reads ${unknown}.`);
  }
  const place = placeOfAnswer(answerPlace, call.operation, accountIdentity);
  return { kind: 'found', reply: replyWith(bodyHolding(inVendorsWords(facts, place), place)) };
}

/** A verdict is kept in a word of the vendor's, by which every answer is read. */
function inVendorsWords(facts: Pairs, { gives, verdicts }: AnswerPlace): JsonObject {
  const { verdict } = facts;
  if (verdict === undefined || gives?.verdict === undefined || verdicts === undefined) return facts;
  const word = vendorsWord(verdict, verdicts);
  if (word !== undefined) return { ...facts, verdict: word };
  const fact = `The dialect of this batch has no word for the verdict ${foreignWords(verdict)}.`;
  throw stop('usage', fact, suggestion(verdict, verdictsWith(verdicts)));
}

/** The verdicts for which the dialect has a word. */
const verdictsWith = (words: VerdictWords): readonly EmailVerdict[] =>
  EMAIL_VERDICTS.filter((each) => verdictsOf(words, each).length > 0);

/** @param shown what may be given instead; left out: the known names. */
function requireNames(
  facts: Pairs,
  known: readonly string[],
  factOf: (unknown: string) => string,
  shown = known,
): void {
  const unknown = Object.keys(facts).find((name) => !known.includes(name));
  if (unknown !== undefined) throw stop('usage', factOf(foreignWords(unknown)), suggestion(unknown, shown));
}

/** The word for a lookup that found nothing. */
const NOTHING_FOUND = 'no_match';
const EMPTY = { status: 404, headers: {}, body: Buffer.alloc(0) };

/** Both bodies merged if both have members; else the second body. */
function mergedBody(one: Buffer, other: Buffer): Buffer {
  const firstBody = readBody(one);
  const secondBody = readBody(other);
  return firstBody.kind === 'json' && secondBody.kind === 'json'
    ? bytesOf(mergedValue(firstBody.value, secondBody.value))
    : other;
}

/** The name may have a sign of its own: `contacts[type=email].value=jo@acme.example`. */
const PAIR = /^((?:\[[^\]]*\]|[^=[])+)=(.*)$/s;

function pairOf(pair: string): readonly [string, string] {
  const [, name, value] = PAIR.exec(pair) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw stop(
    'usage',
    phrase`${faces(asFlag('--answer', pair), pair)} is not key=value.`,
    phrase`Give it as ${faces(asFlag('--answer', 'name=Acme'), 'name=Acme')}.`,
  );
}

/**
 * Translates our names into the vendor's, so that the next run reads the told answer like one from the
 * vendor.
 */
function toldChange(
  call: Call,
  facts: Pairs,
  dialect: Dialect,
  replyWith: (body: Buffer) => Reply,
): ToldReply {
  const places = new Map(Object.entries(dialectOperationOf(dialect, call).answer_fields ?? {}));
  const ofInvite = call.change?.leaves.state === 'invited' ? ['user_id', ACCEPTED] : [];
  const known = [...new Set([...places.keys(), ...ofInvite])];
  // Where the dialect reads no name from the answer, any name is accepted and means only "done".
  if (known.length > 0)
    requireNames(facts, known, (unknown) => `The answer to ${call.operation} has no ${unknown}.`);
  const fields = Object.entries(facts).map(([name, value]) => {
    return [places.get(name) ?? name, name === ACCEPTED && value === 'true' ? true : value] as const;
  });
  const reply = replyWith(bodyHolding(Object.fromEntries(fields), answerPlaceOf(dialect)));
  const leftFacts = leftBy(call, 'found', reply, dialect);
  return { kind: 'found', reply, ...present({ leftFacts: leftFacts && acceptedIfTold(leftFacts, facts) }) };
}

/** What is remembered of the answer to a change. */
const OWN_TO_A_ROW: readonly string[] = ['invite_code', 'user_id', 'project_id'];

interface TellingAll {
  readonly answer?: readonly string[] | undefined;
  readonly all_like?: string | undefined;
}

/**
 * That nothing was found may be said of all calls at once.
 * @throws StopError `usage` where another answer is given for several calls, unless `--all-like` names them
 *   as alike and no value of it differs from row to row.
 */
export function requireTellableOfAll(
  { id }: Batch,
  [first, ...others]: readonly Doubt[],
  { answer: pairs = [], all_like: like }: TellingAll,
): void {
  if (first === undefined || others.length === 0 || pairs.join() === NOTHING_FOUND) return;
  if (like === undefined) {
    const fact = `${others.length + 1} calls are in doubt, but an answer belongs to one.`;
    const like = typing`, or use ${asFlag('--all-like', 'ROW')} for those that were answered like one row`;
    const next = phrase`Name the row${like}.`;
    throw stop('usage', fact, next);
  }
  const rowsPair = pairs.map((pair) => pairOf(pair)[0]).find((name) => OWN_TO_A_ROW.includes(name));
  if (rowsPair === undefined) return;
  const rows = counted(others.length + 1, 'row');
  const fact = `${rowsPair} differs from row to row, so one answer cannot give it for ${rows}.`;
  const next = 'Give it for one row at a time.';
  throw stop(
    'usage',
    fact,
    next,
    commandLine(['settle', id, String(first.row), '--answer', `${rowsPair}=…`]),
  );
}

/** The name that tells of an invite that the person is already in the project. */
const ACCEPTED = 'accepted';

/** A person with a user id has accepted the invite, even where the dialect cannot tell that. */
function acceptedIfTold(leftFacts: SubjectFacts, { user_id: userId, accepted }: Pairs): SubjectFacts {
  if (leftFacts.state !== 'invited' || (userId === undefined && accepted !== 'true')) return leftFacts;
  return { ...leftFacts, state: 'member', ...present({ userId }) };
}

/**
 * All doubts of the batch whose answers are like that of this row.
 * @throws StopError `usage` when that row is not in doubt, or no answer came for it.
 */
export async function doubtsLike(ledger: LedgerReader, batch: Batch, row: string): Promise<readonly Doubt[]> {
  const all = await ledger.doubts(batch.id);
  const dialects = new Map<string, Dialect>();
  for (const { accountIdentity: identity } of all)
    if (!dialects.has(identity)) dialects.set(identity, await dialectFor(batch, ledger, identity));
  const shapeOf = ({ reply, call, why, accountIdentity }: Doubt) => {
    const dialect = dialects.get(accountIdentity);
    return reply && dialect && (oddAnswerIn(reply, dialect, call)?.shape ?? keptFindings(why));
  };
  const rows = await Promise.all(all.map((doubt) => rowHere(ledger, batch, doubt)));
  const like = all[rows.map(String).indexOf(row)];
  const shape = like && shapeOf(like);
  if (shape !== undefined) return all.filter((doubt) => shapeOf(doubt) === shape);
  const fact = `Row ${row} of batch ${batch.id} is not in doubt, or got no answer, so no other row is like it.`;
  throw stop('usage', fact, 'See what is in doubt.', commandLine(['settle', batch.id]));
}

// ------------------------------------------------------------------ whether a run would go on with the batch

/** Reads the job of a batch as it is today. */
async function jobOfBatch({ settings, operation }: Batch): Promise<ResolvedJob | undefined> {
  const chosen = await chooseJob({ job: String(settings.job), entries: saidBeside(settings) });
  return chosen.job.operation.name === operation ? chosen : undefined;
}

interface BatchEnd {
  /** The reason, as a clause. */
  readonly why: string;
  /** The newest batch that has taken the place of this one, over the same list or its changed content. */
  readonly by: BatchId | undefined;
}

/**
 * Why no run goes on with the batch, so that no one carries out the decisions in it; undefined where a run
 * would.
 */
export async function overOf(ledger: LedgerReader, batch: Batch): Promise<BatchEnd | undefined> {
  const { id, key, state, lineage, inputSha256 } = batch;
  const newest = await ledger.batchByKey(key);
  if (newest !== undefined && newest.id !== id)
    return { why: `batch ${newest.id} has taken its place`, by: newest.id };
  const last = (await ledger.batches()).find((each) => each.lineage === lineage)?.id;
  const by = last === id ? undefined : last;
  if (newest === undefined) return { why: `it is ${state}`, by };
  const digest = await digestOf(batch);
  // A list that cannot be read here may be readable where its runs are. A run there would notice changed
  // content.
  if (digest === undefined && by === undefined) return undefined;
  if (digest !== inputSha256) return { why: 'its list has changed', by };
  const today = await keyToday(ledger, batch);
  if (today === undefined || today === key) return undefined;
  return { why: 'its job or account has changed', by: (await ledger.batchByKey(today))?.id };
}

/**
 * @throws StopError `usage` where no run would send its doubts again. The stop says what a person can do
 * instead.
 */
export function refuseOver({ id }: Batch, { why, by }: BatchEnd): never {
  const fact = `No run goes on with batch ${id}, because ${why}, so it sends nothing again.`;
  const ways = typing` ${byFlag('--answer')} or ${asFlag('--not-done')}`;
  const advice = phrase`say what happened${ways}.`;
  if (by === undefined) throw stop('usage', fact, advice.map(capital));
  const next = phrase`Decide in batch ${by} if it is in doubt there; else ${advice}`;
  throw stop('usage', fact, next, commandLine(['settle', by]));
}

/**
 * The key of the batch with which the job of this batch would go on today. Undefined where a run would be
 * refused and would itself say why, and for an undo or a trial: its job follows from the batch.
 */
async function keyToday(ledger: LedgerReader, batch: Batch): Promise<string | undefined> {
  if ((triedBy(batch.settings) ?? undoneBy(batch.settings)) !== undefined) return undefined;
  try {
    const chosen = await jobOfBatch(batch);
    if (chosen === undefined || (await movedFrom(chosen.account, ledger)) !== undefined) return undefined;
    const input = await openHeader(inputFileOf(batch), chosen.job, ledger);
    const known = await withAccounts(chosen, (account) => knownAccount(account, ledger));
    return batchKeyOf(known, input, batch.inputSha256);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

/** Undefined for a list that cannot be read here. */
async function digestOf(batch: Batch): Promise<string | undefined> {
  const file = await open(inputFileOf(batch)).catch(() => undefined);
  try {
    return file && (await sha256Of(piecesOf(file)));
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
