/** Once all is well, a list ends: with the flags that the program itself asks for. */
import { objectIn } from '../../people.ts';
import { promise } from '../../played.ts';
import type { Ended } from '../../stage.ts';

/** What `settle --json` lists. */
export interface Doubts {
  readonly in_doubt?: readonly { readonly parameters: Readonly<Record<string, unknown>> }[];
}

/** What `run --json` prints. */
export interface Ran {
  readonly batch?: string;
  readonly output?: string | null;
  readonly rows?: number;
  readonly counts?: Readonly<Record<string, number>>;
  readonly budget_to_finish?: number;
  readonly stopped: {
    readonly code: string;
    readonly message: string;
    readonly answers?: readonly string[];
    readonly resume_at: string | null;
  } | null;
}

interface Ending {
  readonly list: string;
  readonly rows: number;
  run(more: readonly string[]): Promise<Ended>;
  settle(batch: string, decision: readonly string[]): Promise<void>;
  rest(ms: number): Promise<void>;
  /** Whose account is at another address, when that is asked. */
  readonly is: string;
}

/** What a run that stopped may be answered. */
export const answersOf = (stdout: string): readonly string[] => objectIn<Ran>(stdout)?.stopped?.answers ?? [];

/** A run waits ten minutes for what is answered later, and a vendor may take hours: for an address, then for its check. */
const MOST_RUNS = 30;
const FINAL = ['matched', 'no_match', 'invalid', 'refused', 'skipped'];

export async function endList(ending: Ending): Promise<Ran> {
  const flags = new Map<string, string>();
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const ended = await ending.run([...flags].flat());
    const ran = objectIn<Ran>(ended.stdout);
    promise(ran !== undefined, `a run prints nothing: ${ended.stderr}`);
    flags.delete('--accept');
    if (ran.stopped !== null) await heed(ending, ran, flags);
    else if ((ran.counts?.in_doubt ?? 0) === 0) return requireEnd(ending, ran, ended);
    else
      await ending.settle(ran.batch ?? 'last', run === 0 ? ['--retry', '--extra-credits', '50'] : ['--skip']);
  }
  promise(false, `list ${ending.list} does not end within ${MOST_RUNS} runs`);
}

/** Does what a stop asks for. */
async function heed(ending: Ending, ran: Ran, flags: Map<string, string>): Promise<void> {
  const { stopped, batch = 'last', budget_to_finish: budget } = ran;
  if (stopped === null) return;
  const { code, answers = [], resume_at: resumeAt, message } = stopped;
  const answer = answers.find((each) => each === ending.is) ?? answers[0];
  if (answer !== undefined) flags.set('--accept', answer);
  else if (code === 'store_lost') flags.set('--accept', 'store');
  else if (code === 'doubts') flags.set('--accept', 'doubts');
  else if (budget !== undefined) flags.set('--budget', String(budget));
  else if (code === 'extra_credits') await ending.settle(batch, ['--skip']);
  else if (code === 'paused') await ending.rest(resumeAt === null ? 900_000 : 3_600_000);
  else promise(false, `list ${ending.list} does not end: ${code}: ${message}`);
}

function requireEnd({ list, rows }: Ending, ran: Ran, { exitCode }: Ended): Ran {
  const { counts = {} } = ran;
  promise(exitCode === 0 || exitCode === 3, `list ${list} ends with ${exitCode}`);
  const ended = FINAL.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  promise(ended === rows, `list ${list} has ${rows} rows, and ${JSON.stringify(counts)} of them ended`);
  return ran;
}
