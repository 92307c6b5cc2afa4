/** What comes of a history: each thing is done, and after each the book of the vendor is compared with what people asked for. */
import fs from 'node:fs';
import { join } from 'node:path';
import { closeIdle } from '../../databases.ts';
import { requireForgotten } from '../../forgotten.ts';
import type { Tables } from '../../invariants/tables.ts';
import { Watch } from '../../invariants.ts';
import { calm } from '../../network.ts';
import { DAY_MS, objectIn, timeWords, type, typeBeside } from '../../people.ts';
import { Permitted } from '../../permitted.ts';
import { promise } from '../../played.ts';
import type { Fault } from '../../process.ts';
import { type Ended, FIRST_DAY_MS, type Stage } from '../../stage.ts';
import { isMiss, well } from '../../vendor.ts';
import {
  type AccountKind,
  abnOf,
  EDITS,
  type Edit,
  emailOf,
  JOB,
  JOBS,
  type JobKind,
  type ListRow,
  listText,
  TERMS,
  type TermsKind,
  writeAccounts,
} from '../../workplace.ts';
import { type Act, type Beside, type ListName, type RunAct, typedFor } from './acts.ts';
import { answersOf, type Doubts, endList } from './end.ts';
import { requireOutput, requireSameExport } from './output.ts';

const NINE_DAYS_MS = 9 * DAY_MS;
/** A vendor tells whole seconds, and answers take their time. */
const LEAST_SLACK_MS = 60_000;

/** After so many of the commands one is asked what it shows: each costs as much as a step of the history. */
const ASKED = 0.2;
const CONCURRENCY = 4;

export interface Beginning {
  /** By how much the clock of the machine is wrong from the beginning, until all is well. */
  readonly clockMs: number;
  readonly job: JobKind;
  readonly account: AccountKind;
  readonly terms: TermsKind;
  readonly a: readonly ListRow[];
  readonly b: readonly ListRow[];
}

/** A store as it once was. */
interface Copy {
  readonly path: string;
  readonly isFile: boolean;
  /** So many charges were made by then. */
  readonly charges: number;
}

/** A list that has ended, with what the run wrote. */
interface Finished {
  readonly batch: string;
  readonly written: Buffer;
  /** Whether a run of the list was told by `--accept` to go on. */
  readonly isAnswered: boolean;
}

export class Life {
  readonly #stage: Stage;
  readonly #beginning: Beginning;
  readonly #permitted: Permitted;
  readonly #watch: Watch;
  readonly #edits: Record<ListName, Edit> = { a: 'as it was', b: 'as it was' };
  /** Calls that an unfinished refresh of such a list may buy again, by its text. */
  readonly #refreshing = new Map<string, Set<string>>();
  /** Lists that were ever refreshed: what is in doubt of them goes on under the clock of the beginning. */
  readonly #refreshed = new Set<string>();
  readonly #copies: Copy[] = [];
  #backups = 0;
  /** What the charges were since which a store that was put back knows nothing; undefined once that was accepted. */
  #lostSince: number | undefined;
  #killedAtMs = Number.POSITIVE_INFINITY;
  #port = 9;
  #is: 'same-account' | 'new-account' = 'same-account';
  /** The program has asked whose account is at the other address. */
  #isAskedWhose = false;
  /** By how much a clock was ever wrong. */
  #slackMs = LEAST_SLACK_MS;
  /** Whether the ledger may know less than was charged, because somebody said so. */
  #isBudgetOff = false;

  /** Somebody, or a wrong calendar, said of what may have been sold that it was not. */
  #isToldWrong = false;
  #isNoMatchTold = false;
  readonly #forgotten = new Set<string>();

  constructor(stage: Stage, beginning: Beginning) {
    this.#stage = stage;
    this.#beginning = beginning;
    this.#permitted = new Permitted(stage);
    this.#watch = new Watch(stage, CONCURRENCY);
    stage.startMs += beginning.clockMs;
    this.#slackMs += Math.abs(beginning.clockMs);
    this.#writeAccounts(TERMS[beginning.terms]);
    stage.write('job.yaml', JOB + JOBS[beginning.job]);
    for (const list of ['a', 'b'] as const) stage.write(`${list}.csv`, this.#text(list));
  }

  rest(ms: number): Promise<void> {
    return this.#stage.rest(ms);
  }

  async act(act: Act, faults: readonly Fault[], beside: Beside | undefined): Promise<void> {
    return this.#act(this.#answered(act), faults, beside);
  }

  /** Whoever was asked whose account is at the other address says so with the next run. */
  #answered(act: Act): Act {
    if (act.kind !== 'run' || !this.#isAskedWhose) return act;
    this.#isAskedWhose = false;
    return { ...act, accept: this.#is };
  }

  async #act(act: Act, faults: readonly Fault[], beside: Beside | undefined): Promise<void> {
    const words = this.#typed(act);
    if (words === undefined) return this.#undertake(act);
    const { tables } = this.#watch;
    if (act.kind === 'settle') await this.#permitDecision();
    this.#permit(act);
    const before = { sent: this.#stage.sent.length, charges: this.#stage.vendor.charges.length };
    const besideWords = beside && this.#typed(this.#unedited(beside.act));
    const others = besideWords === undefined ? [] : [{ words: besideWords, afterMs: beside?.afterMs ?? 0 }];
    const [ended, other] = await typeBeside(this.#stage, { words, faults }, others);
    // What is on its way when a process dies still arrives.
    await this.rest(LEAST_SLACK_MS);
    this.#heed(faults);
    // What was asked before it began is known only now.
    if (beside) this.#permit(beside.act);
    if (beside?.act.kind === 'settle') this.#permitted.again(this.#permitted.asked);
    this.#ended(act, ended as Ended, before.charges);
    if (beside && other) this.#ended(beside.act, other, before.charges);
    const mayBuy = act.kind === 'run' || beside?.act.kind === 'run';
    if (!mayBuy)
      promise(before.sent === this.#stage.sent.length, `it only looks, and sends: ${words.join(' ')}`);
    this.#judge(before.charges, [act, ...(beside ? [beside.act] : [])]);
    if (other === undefined) this.#endedAlone(act, ended as Ended, tables);
    await this.#watch.requireShown([], ASKED);
  }

  #endedAlone(act: Act, ended: Ended, before: Tables | undefined): void {
    if (act.kind === 'run') this.#watch.requireRun(ended, before);
    if (act.kind === 'forget' && ended.exitCode === 0) requireForgotten(this.#stage, [emailOf(act.company)]);
  }

  /** All is well from now on. */
  async ends(): Promise<void> {
    const stage = this.#stage;
    stage.tell('from now on all is well');
    stage.startMs = FIRST_DAY_MS;
    stage.vendor.mood = well;
    stage.weather = calm;
    this.#writeAccounts({});
    await this.rest(DAY_MS);
    const [first, second] = [await this.#endOf('a'), await this.#endOf('b')];
    // A series that stops the second list takes back what has ended rows of the first, which then goes on.
    const lists: readonly Finished[] = [second.isAnswered ? await this.#endOf('a') : first, second];
    if (!this.#isToldWrong) this.#watch.requireBooks();
    await this.rest(DAY_MS);
    for (const { batch, written } of lists)
      await requireSameExport(stage, batch, written, ['-o', `${batch}.csv`, '--copy']);
  }

  /** A list ends, and its output is as it should be. */
  async #endOf(list: ListName): Promise<Finished> {
    const rows = this.#rows(list);
    let isAnswered = false;
    const { batch = '', output } = await endList({
      list,
      rows: rows.length,
      run: (more) => {
        isAnswered ||= more.includes('--accept');
        return this.#runAtEnd(list, more);
      },
      settle: (batch, decision) => this.#settleAtEnd(batch, decision),
      rest: (ms) => this.rest(ms),
      is: this.#is,
    });
    promise(typeof output === 'string', `list ${list} has ended without an output`);
    const written = fs.readFileSync(output);
    const words = { isNoMatchTold: this.#isNoMatchTold, forgotten: this.#forgotten };
    requireOutput(this.#stage, output, rows, words);
    await requireSameExport(this.#stage, batch, written);
    return { batch, written, isAnswered };
  }

  async #runAtEnd(list: ListName, more: readonly string[]): Promise<Ended> {
    const budget = 'as planned';
    const act: RunAct = {
      kind: 'run',
      list,
      edit: this.#edits[list],
      budget,
      limit: undefined,
      refresh: false,
      accept: more.includes('store') ? 'store' : undefined,
    };
    this.#permit(act);
    const words = ['run', 'job.yaml', `${list}.csv`, '--yes', '--json', ...more];
    const ended = await this.#watch.run(words);
    this.#ended(act, ended, 0);
    this.#permitted.require();
    return ended;
  }

  async #settleAtEnd(batch: string, decision: readonly string[]): Promise<void> {
    if (decision.includes('--retry')) await this.#permitDecision(batch);
    const { exitCode, stderr } = await type(this.#stage, ['settle', batch, ...decision, '--json']);
    promise(exitCode === 0, `what is in doubt cannot be settled: ${stderr}`);
  }

  // ------------------------------------------------------------------------------------------------ things done

  #typed(act: Act): readonly string[] | undefined {
    if (act.kind === 'run') {
      if (this.#edits[act.list] !== act.edit) this.#refreshing.delete(this.#text(act.list));
      this.#edits[act.list] = act.edit;
      this.#stage.write(`${act.list}.csv`, this.#text(act.list));
    }
    if (act.kind === 'back up') this.#backups += 1;
    if (act.kind === 'forget') return ['forget', emailOf(act.company), '--yes', '--json'];
    const words = typedFor(act, this.#backups);
    return words && [...words, '--json'];
  }

  /** No one edits a list that the first command has begun to read. */
  #unedited(act: Act): Act {
    return act.kind === 'run' ? { ...act, edit: this.#edits[act.list] } : act;
  }

  #undertake(act: Act): void {
    if (act.kind === 'move') this.#move(act.port, act.is);
    if (act.kind === 'copy away') this.#copyAway();
    if (act.kind === 'put back') this.#putBack();
  }

  #move(port: number, is: 'same-account' | 'new-account'): void {
    this.#port = port;
    this.#is = is;
    this.#refreshing.clear();
    // No one is asked where the store has known an account at that address before.
    if (is === 'new-account') this.#newAccount();
    this.#stage.tell(`the account is at port ${port}`);
    this.#writeAccounts(TERMS[this.#beginning.terms]);
  }

  #copyAway(): void {
    const store = this.#stage.path('store');
    if (!fs.existsSync(store)) return;
    const path = this.#stage.path(`copy-${this.#copies.length}`);
    closeIdle();
    fs.cpSync(store, path, { recursive: true });
    this.#copies.push({ path, isFile: false, charges: this.#stage.vendor.charges.length });
    this.#stage.tell('the store is copied away');
  }

  #putBack(): void {
    const copy = this.#copies.at(-1);
    if (copy === undefined) return;
    const store = this.#stage.path('store');
    closeIdle();
    fs.rmSync(store, { recursive: true, force: true });
    if (copy.isFile) {
      fs.mkdirSync(store, { mode: 0o700 });
      fs.copyFileSync(copy.path, join(store, 'ledger.db'));
      fs.chmodSync(join(store, 'ledger.db'), 0o600);
    } else fs.cpSync(copy.path, store, { recursive: true });
    // What is noted outside of a store follows by a second, and a kill may lose that.
    const lost = this.#stage.vendor.charges[copy.charges];
    if (lost !== undefined && lost.atMs >= this.#killedAtMs - 1_000) this.#permitted.lost(copy.charges);
    else if (lost !== undefined) this.#lostSince = Math.min(copy.charges, this.#lostSince ?? copy.charges);
    this.#refreshing.clear();
    this.#watch.forget();
    this.#stage.tell(`the store is put back as it was after ${copy.charges} charges`);
  }

  #writeAccounts(more: object): void {
    writeAccounts(
      this.#stage,
      { base_url: `http://127.0.0.1:${this.#port}`, ...more },
      this.#beginning.account,
    );
  }

  #rows(list: ListName): readonly ListRow[] {
    return EDITS[this.#edits[list]](this.#beginning[list]);
  }

  #text(list: ListName): string {
    return listText(this.#rows(list));
  }

  // ------------------------------------------------------------------------------------------------ what is permitted

  #permit(act: Act): void {
    const nowMs = this.#stage.trueMs;
    if (act.kind === 'purge') this.#permitted.againFromBefore(nowMs - act.olderMs + this.#slackMs);
    if (act.kind !== 'run') return;
    // A refresh that began by a clock that was ahead of another takes also for too old what was bought since.
    const text = this.#text(act.list);
    if (act.refresh) this.#refreshed.add(text);
    const isAhead = this.#slackMs > LEAST_SLACK_MS && this.#refreshed.has(text);
    if (act.refresh || isAhead) this.#permitRefresh(act.list);
    const { job, terms } = this.#beginning;
    const oldMs = nowMs - NINE_DAYS_MS + this.#slackMs;
    if (job === 'a job with refresh_after: 9d' || terms === 'an account with retention: 9d')
      this.#permitted.againFromBefore(oldMs);
    if (job === 'a job with refresh_no_match_after: 9d') this.#permitted.againFromBefore(oldMs, isMiss);
    if (act.accept !== 'store' || this.#lostSince === undefined) return;
    this.#permitted.lost(this.#lostSince);
    this.#lostSince = undefined;
    this.#isBudgetOff = true;
  }

  #permitRefresh(list: ListName): void {
    const text = this.#text(list);
    const known = this.#refreshing.get(text) ?? new Set();
    const words = this.#rows(list).flatMap(({ company }) => [
      abnOf(company),
      `"s${company % 5}.example.com"`,
    ]);
    const more = this.#permitted.asked.filter(
      (key) => !known.has(key) && words.some((word) => key.includes(word)),
    );
    this.#permitted.again(more);
    this.#refreshing.set(text, new Set([...known, ...more]));
  }

  /** A person looks at what is in doubt, and decides about it. */
  async #permitDecision(batch = 'last'): Promise<void> {
    const { stdout } = await type(this.#stage, ['settle', batch, '--json']);
    const doubts = objectIn<Doubts>(stdout)?.in_doubt ?? [];
    this.#permitted.againAbout(
      doubts.flatMap(({ parameters }) => Object.values(parameters).map((value) => JSON.stringify(value))),
    );
  }

  #newAccount(): void {
    this.#permitted.newAccount();
    this.#isBudgetOff = true;
  }

  #heed(faults: readonly Fault[]): void {
    for (const { what } of faults) if (what.kind === 'clock') this.#slackMs += Math.abs(what.ms);
  }

  #ended(act: Act, { exitCode, stdout }: Ended, chargesBefore: number): void {
    if (act.kind === 'back up' && exitCode === 0) {
      const path = this.#stage.path(`backup-${this.#backups}.db`);
      this.#copies.push({ path, isFile: true, charges: chargesBefore });
    }
    if (act.kind === 'cancel') this.#refreshing.clear();
    if (act.kind === 'settle') this.#told(act.how);
    if (act.kind === 'forget' && exitCode === 0) this.#forgotten.add(emailOf(act.company));
    if (exitCode === undefined) this.#killedAtMs = this.#stage.trueMs - LEAST_SLACK_MS;
    if (act.kind !== 'run') return;
    this.#isAskedWhose ||= answersOf(stdout).includes(this.#is);
    if (exitCode === 0 || exitCode === 3) this.#refreshing.delete(this.#text(act.list));
    const stage = this.#stage;
    const { job } = this.#beginning;
    // A vendor whose calendar is wrong as a key is sent, and right later, forgets the key early: by its own word it did not.
    const { mood } = stage.vendor;
    const mayForgetKeys = stage.vendor.honoursKeys && mood.kind === 'calendar';
    // The earlier of two clocks dates an answer, and a refresh takes for too old what a vendor dates before it.
    if (mood.kind === 'calendar') this.#slackMs += Math.max(0, -(mood.offMs ?? 0));
    this.#isToldWrong ||= mayForgetKeys;
    if (job.startsWith('a job that retries') || mayForgetKeys) this.#permitted.again(this.#permitted.asked);
  }

  #told(how: 'retry' | 'skip' | 'not-done' | 'no_match'): void {
    this.#isBudgetOff = true;
    this.#isToldWrong ||= how === 'not-done' || how === 'no_match';
    this.#isNoMatchTold ||= how === 'no_match';
  }

  #judge(chargesBefore: number, acts: readonly Act[]): void {
    this.#permitted.require();
    const { charges } = this.#stage.vendor;
    const isLost = this.#lostSince !== undefined && this.#lostSince < chargesBefore;
    if (isLost) promise(charges.length === chargesBefore, 'a store that was put back has spent');
    const spent = charges.slice(chargesBefore).reduce((sum, { credits }) => sum + credits, 0);
    const budgets = acts.flatMap((act) => (act.kind === 'run' ? [act.budget] : []));
    const most = budgets.reduce<number>(
      (sum, budget) => sum + (budget === 'as planned' ? Number.POSITIVE_INFINITY : budget),
      0,
    );
    promise(spent <= most, `${spent} credits were spent, with a budget of ${most}`);
    if (this.#beginning.terms === 'an account with a budget of 7 a day') this.#judgeDays();
  }

  #judgeDays(): void {
    if (this.#isBudgetOff || this.#slackMs > LEAST_SLACK_MS) return;
    const days = Map.groupBy(this.#stage.vendor.charges, ({ atMs }) => Math.floor(atMs / DAY_MS));
    for (const [day, charges] of days) {
      const spent = charges.reduce((sum, { credits }) => sum + credits, 0);
      promise(spent <= 7, `${spent} credits in the day of ${timeWords(day * DAY_MS)}, with a budget of 7`);
    }
  }
}
