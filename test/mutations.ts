import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run mutate`: each money rule of docs/internals/protocol.md is taken out of a copy of the source, and the test that is named
 * must fail; else the exit code is 1. Words behind `--` choose the rules that have them. With `--simulate` a world of the simulation must
 * show a fault within 2,000 seeds (`--seeds`), or the rule says here why none can.
 */

export interface Mutation {
  /**
   * The name of its place, and what is taken out there. `9a: …` is taken out where `// rule 9a` stands at the end of a line
   * or above one. Numbers are those of docs/internals/protocol.md.
   */
  readonly rule: string;
  readonly file: string;
  /** What stands in the place of the whole line. */
  readonly instead: string;
  /** The file below `test` that must fail, and part of the names of those of its tests that are run. */
  readonly test: readonly [string, string];
  /** The kind of world that shows it, or why none does. */
  readonly simulated: 'lists' | 'histories' | 'team' | 'fill' | 'page' | { readonly never: string };
}

export const MUTATIONS: readonly Mutation[] = [
  {
    rule: '1: a spender holds the lock of its store',
    file: 'src/lib/process-lock.ts',
    instead: '',
    test: ['ledger/stores/lock', 'a spender that is stopped keeps the store'],
    simulated: 'histories',
  },
  {
    rule: '2: a store that is older than what is known outside of it buys nothing',
    file: 'src/ledger/site.ts',
    instead: '',
    test: ['faults/lost-stores', 'buys nothing until that is accepted'],
    simulated: 'histories',
  },
  {
    rule: '3: what a kill left open is settled first',
    file: 'src/run/recover.ts',
    instead: '',
    test: ['run/sessions', 'what a kill left open is settled once'],
    simulated: 'lists',
  },
  {
    rule: '4: the intent is on the disk before the request leaves',
    file: 'src/ledger/gather.ts',
    instead: 'this.#push({ intent, tell: () => {}, fail }); resolve(true);',
    test: ['faults/crash-points', 'after-send \\(direct\\)'],
    simulated: 'lists',
  },
  {
    rule: '5: a promise is kept only after its commit',
    file: 'src/ledger/db/sqlite.ts',
    instead: "writer.rows('ROLLBACK');",
    test: ['ledger/attacks', 'what two ask at once is bought once'],
    simulated: 'lists',
  },
  {
    rule: '6: an intent of a process that was paused is not sent',
    file: 'src/client/transport.ts',
    instead: 'if (this.#expired) {',
    test: ['client/transport', 'an intent'],
    simulated: 'histories',
  },
  {
    rule: '7: a request that has left is not sent again by itself',
    file: 'src/client/transport.ts',
    instead: "this.#over({ kind: 'not_sent', cause: 'late', message: messageOf(error) });",
    test: ['client/transport', 'of which the connection is reset is not sent again'],
    simulated: 'lists',
  },
  {
    rule: '8: the raw answer is on the disk before it is judged',
    file: 'src/run/buy.ts',
    instead: 'void ledger.keep(admission.attempt, sent.reply.raw);',
    test: ['faults/crash-points', 'an answer that came is on the disk before it is judged'],
    simulated: 'lists',
  },
  {
    rule: '9a: a lost answer is in doubt',
    file: 'src/client/judge.ts',
    instead: "if (reply.kind === 'lost') return { kind: 'not_sent', why: whyUnanswered(reply) };",
    test: ['client/judge', 'a lost answer'],
    simulated: 'lists',
  },
  {
    rule: '9b: a call that the vendor says twice it has not served is in doubt',
    file: 'src/ledger/transitions.ts',
    instead: '',
    test: ['ledger/attacks', 'what the vendor says twice'],
    simulated: {
      never: 'the tables refuse the second end, and no vendor of a world names a time with a 503',
    },
  },
  {
    rule: '9c: the tables free a call once as not served',
    file: 'src/ledger/schema.ts',
    instead: "`CREATE INDEX attempts_not_served ON attempts (key) WHERE said = 'not_served';`,",
    test: ['ledger/attacks', 'code that frees a call twice'],
    simulated: { never: 'the second end is one in doubt before the index is asked' },
  },
  {
    rule: '9d: a miss is booked at the price that the dialect has for one',
    file: 'src/client/charges.ts',
    instead: '',
    test: ['cli/together', 'a miss by the rule'],
    simulated: {
      never: 'without it a miss is booked like a match, for which no vendor of a world asks less',
    },
  },
  {
    rule: '9e: what a vendor has sold in the place of a find is booked as one',
    file: 'src/client/judge.ts',
    instead: 'const charged = chargedCredits(parsed, means, rule, dialect, operation);',
    test: ['cli/found-values', 'where nobody has one the cell is blank'],
    simulated: { never: 'no vendor of a world puts a word in the place of an address' },
  },
  {
    rule: '9f: an id that two calls have is the id of neither',
    file: 'src/ledger/transitions.ts',
    instead: 'groupPart([noteIds], accepted),',
    test: ['ledger/attacks', 'where two calls have it, in one group or in two'],
    simulated: 'fill',
  },
  {
    rule: '9g: what has the id of another call is not answered by it',
    file: 'src/ledger/transitions.ts',
    instead: "const leadsTo = () => '1 = 1';",
    test: ['ledger/attacks', 'answers none of those who share it'],
    simulated: {
      never: 'nobody asks by an id that is shared, and it seldom becomes so while an answer is on its way',
    },
  },
  {
    rule: '9h: an id stands once among what an account has accepted',
    file: 'src/ledger/schema.ts',
    instead:
      "`CREATE INDEX attempts_later ON attempts (account, later_path, vendor_id) WHERE state = 'accepted';",
    test: ['ledger/attacks', 'stands once among what is accepted'],
    simulated: { never: 'the code puts both in doubt before anything meets the index' },
  },
  {
    rule: '10a: a request is repeated only while the vendor surely knows its key',
    file: 'src/run/intent.ts',
    instead: 'return validMs > 0;',
    test: ['run/doubts', 'is not sent again'],
    simulated: 'histories',
  },
  {
    rule: '10b: the vendor tells when a key is first used, and no clock of ours',
    file: 'src/run/intent.ts',
    instead: 'if (lost === undefined) return { request, keyed: { ...sent, firstSentAtMs: clock.wallMs() } };',
    test: ['run/doubts', 'was ahead at first'],
    simulated: 'lists',
  },
  {
    rule: '10c: a job pays for a lost call again once in a batch',
    file: 'src/run/recover.ts',
    instead: "if (policy === 'retry' && run.batch === '')",
    test: ['faults/lost-answers', 'is sent no third time'],
    simulated: 'histories',
  },
  {
    rule: '10d: a call that a person leaves out is left out of each start of the list',
    file: 'src/ledger/lists.ts',
    instead: 'decisions.findLast((each) => each.batch === batch );',
    test: ['cli/settle', 'left out of the next version'],
    simulated: { never: 'its people do not bring another version of a list in which they left a row out' },
  },
  {
    rule: '10e: what was accepted and is left out is booked at the most',
    file: 'src/ledger/follow.ts',
    instead: "if (state === 'never') {",
    test: ['cli/later', 'by --skip, which books the most and ends the row'],
    simulated: { never: 'nobody in a world decides about what still waits for its answer' },
  },
  {
    rule: '10f: what an attempt under way was sent for holds its credits',
    file: 'src/ledger/schema.ts',
    instead: "isDoubted(table) + ' AND ' + isPast(table);",
    test: ['ledger/stores/conformance', 'what was sent before an answer is free once'],
    simulated: { never: 'nobody in a world decides about a row while its call is being sent again' },
  },
  {
    rule: '11a: the code admits nothing above a budget',
    file: 'src/ledger/money.ts',
    instead: "'b.closed = 1';",
    test: ['ledger/attacks', 'the last credits are used'],
    simulated: 'histories',
  },
  {
    rule: '11b: the database admits nothing above a budget',
    file: 'src/ledger/schema.ts',
    instead: "const WITHIN_CAP = 'CHECK (1 = 1)';",
    test: ['ledger/attacks', 'passes a cap'],
    simulated: {
      never: 'the code admits nothing above a budget either, so nothing ever meets the constraint',
    },
  },
  {
    rule: '11c: one worker writes at a time, and sees what the others wrote',
    file: 'src/ledger/db/postgres.ts',
    instead: "const BEGIN = 'BEGIN';",
    test: ['ledger/db/postgres', 'two processes never write at the same time'],
    simulated: { never: 'no world has a PostgreSQL: its server is a program of others' },
  },
  {
    rule: '11d: a list says nothing of a person whose change is under way or in doubt',
    file: 'src/ledger/learned.ts',
    instead: "'SELECT 1 FROM ' + s + ' WHERE 1 = 0';",
    test: ['ledger/stores/conformance', 'what a list says of a person is noted once'],
    simulated: {
      never: 'a plan sees the change that is under way, and its own run notes what its list says',
    },
  },
  {
    rule: '12a: a file that is not as we wrote it is kept',
    file: 'src/files/output/own-files.ts',
    instead: "isOurs: async (path, sha256) => sha256 !== '',",
    test: ['cli/export', 'an output that a person changed is kept'],
    simulated: { never: 'nobody in a world changes what a command has written' },
  },
  {
    rule: '12b: an output is known as ours before it takes its place',
    file: 'src/lib/atomic-file.ts',
    instead: '',
    test: ['cli/run', 'works on the first rows only; without it the rest is done'],
    simulated: 'lists',
  },
  {
    rule: '12c: an output is whole on the disk before it takes its place',
    file: 'src/lib/atomic-file.ts',
    instead: '',
    test: ['files/output/own-files', 'is on the disk before it takes its place'],
    simulated: 'lists',
  },
  {
    rule: '12d: what this host has written is noted on the disk',
    file: 'src/ledger/known-here.ts',
    instead: '',
    test: ['ledger/known-here', 'is on the disk before what follows it'],
    simulated: 'lists',
  },
  {
    rule: '13: after a stop nothing new is sent',
    file: 'src/run/pipeline.ts',
    instead: '',
    test: ['faults/stopping', 'by SIGTERM'],
    simulated: 'histories',
  },
  {
    rule: '14a: an exchange has one deadline',
    file: 'src/client/transport.ts',
    instead: 'this.#deadline = setTimeout(() => undefined, timeoutMs).unref();',
    test: ['client/transport/wire', 'it is lost, and its connection is closed'],
    simulated: 'lists',
  },
  {
    rule: '14b: a run in which nothing is settled ends',
    file: 'src/client/limits/limiter.ts',
    instead: 'if (maxPauseMs !== 0) continue;',
    test: ['client/limits/limiter', 'is sent away when nothing was settled'],
    simulated: 'lists',
  },
  {
    rule: '15a: what is answered is not asked again',
    file: 'src/ledger/schema.ts',
    instead: '`CREATE INDEX attempts_current ON attempts (key) WHERE is_current = 1;`,',
    test: ['ledger/attacks', 'what two ask at once is bought once'],
    simulated: 'lists',
  },
  {
    rule: '15b: what a batch bought is never too old for it',
    file: 'src/ledger/schema.ts',
    instead: "const isOfOther = '1 = 1';",
    test: ['ledger/stores/conformance', 'is never one for the batch that bought it'],
    simulated: 'histories',
  },
  {
    rule: '16: no calendar alone says which day pays',
    file: 'src/client/time.ts',
    instead: 'return this.machine.wallMs();',
    test: ['client/time', 'a wrong clock'],
    simulated: 'histories',
  },
  {
    rule: '17: no row gets the answer of other cells',
    file: 'src/files/input.ts',
    instead: "if (sha256 === '') throw changedFile(this.path);",
    test: ['faults/edits', 'where the file system tells nothing'],
    simulated: {
      never:
        'files of a world always tell that they have changed, and this is for file systems that tell nothing',
    },
  },
  {
    rule: '18a: who was forgotten is not bought again',
    file: 'src/ledger/erase.ts',
    instead:
      "const ABOUT = 'UPDATE attempts SET ' + EMPTY + ', ' + freed('id IS NOT NULL') + ' WHERE id = ?';",
    test: ['cli/forget', 'a forgotten person is in no byte of the store'],
    simulated: 'lists',
  },
  {
    rule: '18b: what was taken of a person goes with the call that led to it',
    file: 'src/ledger/erase.ts',
    instead: 'const takes = ({ operation, asked }: NamedAttempt): boolean => false;',
    test: ['cli/then', 'what was taken of a person who is forgotten'],
    simulated: 'fill',
  },
  {
    rule: '18c: what a row rests on is kept with the end that is kept',
    file: 'src/ledger/transitions.ts',
    instead: "const IS_KEPT = 'JOIN rows row ON row.batch = v.batch AND row.row = v.row';",
    test: ['ledger/moves', 'an end of a row that is not kept leaves'],
    simulated: { never: 'nobody in a world decides about a row while a run ends it' },
  },
  {
    rule: '19: nothing starts by a plan that moved',
    file: 'src/plan/plan-id.ts',
    instead: "if (now !== '') return;",
    test: ['cli/plan', 'nothing starts, and the figures say by how much it moved'],
    simulated: 'lists',
  },
  {
    rule: '20: a file is removed in the own folders of its store alone',
    file: 'src/ledger/erase.ts',
    instead: 'rmSync(path, { force: true });',
    test: ['faults/forged-store', 'single texts are forged'],
    simulated: { never: 'nobody in a world writes into a store by hand' },
  },
  {
    rule: 'words: an account that may have moved is asked about before it spends',
    file: 'src/run/known-account.ts',
    instead: 'return false;',
    test: ['cli/moved-account', 'a list half bought goes on at the new address'],
    simulated: 'histories',
  },
  {
    rule: 'fill-order: a later account is asked once all before it have answered',
    file: 'src/walk/row-walk/ask-step.ts',
    instead: "calls.find(({ stands }) => stands === 'held') ?? calls.at(-1);",
    test: ['cli/several-accounts', 'each account is asked only for what none before it has'],
    simulated: 'fill',
  },
  {
    rule: 'fill-pause: a row waits for an account that is paused',
    file: 'src/run/rows.ts',
    instead: "if (end.code === 'clock') return 'waits';",
    test: ['cli/several-accounts', 'a row waits for an account that is paused'],
    simulated: 'fill',
  },
  {
    rule: 'fill-doubt: a doubt holds its row where its account has ended',
    file: 'src/run/rows.ts',
    instead: "return code === 'paused' ? 'waits' : 'left';",
    test: ['cli/several-accounts', 'a lost call that its account cannot send again within its share'],
    simulated: 'fill',
  },
  {
    rule: 'ask-again: whoever asks some rows again, or one step, buys nothing else',
    file: 'src/run/rows.ts',
    instead: '',
    test: ['cli/asked-anew', 'rows that were never asked stay so'],
    simulated: { never: 'no person in a world names rows' },
  },
  {
    rule: 'fill-list: a step is left out whose columns the list has filled',
    file: 'src/walk/filling.ts',
    instead: '',
    test: ['cli/several-accounts', 'a later step asks by the cell of the list'],
    simulated: 'fill',
  },
  {
    rule: 'fill-several: where several fit, nobody is taken',
    file: 'src/walk/dialect-step.ts',
    instead: '',
    test: ['cli/then', 'where several fit, nothing is taken'],
    simulated: 'fill',
  },
  {
    rule: 'fill-worst: the worst case has the call that takes what was found',
    file: 'src/plan/plan.ts',
    instead: 'if (miss > 0 || isChecked || isInVain) before += most;',
    test: ['cli/then', 'the plan counts both calls'],
    simulated: 'fill',
  },
];

type Place = Pick<Mutation, 'rule' | 'file' | 'instead'>;

/** `9a` for `9a: a lost answer is in doubt`, as its marker has it. */
export const nameOf = ({ rule }: Pick<Mutation, 'rule'>): string => rule.replace(/:.*/, '');

/** The source with something else in the place of the line that is marked. @throws unless one is. */
export function mutated(source: string, { rule, file, instead }: Place): string {
  const marker = `// rule ${nameOf({ rule })}`;
  const lines = source.split('\n');
  const [at, ...more] = lines.flatMap((line, number) => (line.endsWith(marker) ? number : []));
  if (at === undefined || more.length > 0) throw new Error(`${marker} has to stand once in ${file}`);
  return lines.with(lines[at]?.trim() === marker ? at + 1 : at, instead).join('\n');
}

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['bench', 'dist', 'docs', 'fixtures', 'jobs', 'package.json', 'src', 'test', 'tsconfig.json'];

/** Where the source is copied to, with one rule less at a time. */
export class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'rowonce-mutate-'));

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    for (const name of FOLDERS) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  without<T>(mutation: Place, look: () => T): T {
    const path = join(this.folder, mutation.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(source, mutation));
    try {
      return look();
    } finally {
      writeFileSync(path, source);
    }
  }

  /** @returns what it prints. */
  simulate(...words: readonly string[]): string {
    return this.node('test/simulate/simulate.ts', ...words);
  }

  node(...words: readonly string[]): string {
    const options = { cwd: this.folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    return spawnSync(process.execPath, words, options).stdout;
  }
}

/** @param seeds of the simulation; left out: the tests are run. */
function mutateAll(words: readonly string[], seeds: string | undefined): void {
  const chosen = MUTATIONS.filter(({ rule }) => words.every((word) => rule.includes(word)));
  const copy = new Copy();
  if (seeds !== undefined) {
    simulateAll(copy, chosen, seeds);
    return;
  }
  const sound = tested(copy, chosen);
  if (!sound.startsWith('ok')) throw new Error(`With every rule in its place: ${sound}`);
  for (const mutation of chosen) {
    const result = copy.without(mutation, () => tested(copy, [mutation]));
    console.log(`Without ${mutation.rule}: ${result}`);
    if (!result.startsWith('not ok')) process.exitCode = 1;
  }
}

function simulateAll(copy: Copy, chosen: readonly Mutation[], seeds: string): void {
  for (const mutation of chosen) {
    const { rule, simulated } = mutation;
    if (typeof simulated === 'object')
      console.log(`Without ${rule}: not simulated, because ${simulated.never}`);
    else {
      const words = ['--world', simulated, '--seeds', seeds, '--until-fault'];
      const told = copy.without(mutation, () => copy.simulate(...words));
      const fault = /^A fault in .*/m.exec(told)?.[0];
      console.log(`Without ${rule}: ${fault ?? `no fault, ${told.slice(-200)}`}`);
      if (fault === undefined) process.exitCode = 1;
    }
  }
}

/** The first test that failed of those that are named, with its reason; "ok" and how many passed when none did. */
function tested(copy: Copy, mutations: readonly Mutation[]): string {
  const files = new Set(mutations.map(({ test: [file] }) => join(copy.folder, 'test', `${file}.test.ts`)));
  const names = ['-t', mutations.map(({ test: [, name] }) => name).join('|')];
  const words = ['run', '--config', 'test/vitest.config.ts', '--mode=all', '--reporter=tap-flat', '--bail=1'];
  const stdout = copy.node(join(ROOT, 'node_modules/vitest/vitest.mjs'), ...words, ...names, ...files);
  const [failed] = /^not ok .*/m.exec(stdout) ?? [];
  const passed = stdout.match(/^ok (?!.*# SKIP)/gm) ?? [];
  return failed === undefined ? `ok, ${passed.length} pass` : failed + /\n *message.*/.exec(stdout);
}

if (import.meta.main) {
  const options = { simulate: { type: 'boolean' }, seeds: { type: 'string', default: '2000' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  mutateAll(positionals, values.simulate === true ? values.seeds : undefined);
}
