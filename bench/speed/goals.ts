/** What each figure must be. */
export interface Goal {
  readonly what: string;
  readonly must: string;
}

/** 250 MB are 238 MiB, in which the kernel counts. */
const MEMORY = '≤ 1.2, < 238 MiB';

export const GOALS = {
  processor: {
    what: "processor of a bought row, vendor unlimited, ledger durable ÷ the naive script's",
    must: '≤ 1.8',
  },
  naive: { what: "rate, vendor unlimited, ledger durable ÷ the naive script's", must: '≥ 0.55' },
  checkpoint: { what: 'the same ÷ the script with a checkpoint of each row', must: '≥ 3' },
  bullmq: { what: 'the same ÷ BullMQ on Redis, every write synced', must: '≥ 1.0' },
  bare: { what: 'the same ÷ bare undici, two cores', must: '≥ 0.26' },
  latency: { what: "rate, vendor latency 20 ms, 64 at once ÷ the naive script's", must: '≥ 0.97' },
  replay: { what: 'replay ÷ csv-parse alone, a million rows', must: '≤ 3.5' },
  plan: { what: '`plan` with a job ÷ csv-parse alone, a million rows', must: '≤ 4' },
  describe: { what: '`plan` without a job ÷ csv-parse alone, a million rows', must: '≤ 2.0' },
  again: { what: 'output written again ÷ csv-parse alone, a million rows', must: '≤ 3' },
  'replay-start': { what: 'replay ÷ csv-parse alone, 100,000 rows, starts included', must: '≤ 7' },
  'plan-start': { what: '`plan` with a job, the same', must: '≤ 4.5' },
  'describe-start': { what: '`plan` without a job, the same', must: '≤ 3' },
  long: { what: 'replay / output written again, to the end', must: '10 million rows: ≤ 300 / ≤ 120 s' },
  'plan-half': {
    what: '`plan` with a job, half of the list bought before',
    must: 'a million rows: ≤ 15 s, ≤ 4 × csv-parse',
  },
  limit: {
    what: 'share of a vendor limit used by `rowonce run`, 429s, idle cores',
    must: '≥ 99 % to 500/s, ≥ 97.5 % at 5,000/s with half a core idle, 0',
  },
  'memory-run': { what: 'peak memory, long list ÷ short list: `run`, bought', must: MEMORY },
  'memory-replay': { what: 'peak memory, long list ÷ short list: `run`, bought before', must: MEMORY },
  'memory-again': { what: 'peak memory, long list ÷ short list: `run`, written again', must: MEMORY },
  'memory-plan': { what: 'peak memory, long list ÷ short list: `plan` with a job', must: MEMORY },
  'memory-describe': { what: 'peak memory, long list ÷ short list: `plan` without a job', must: MEMORY },
  'memory-windows': { what: 'the same, a list in Windows-1252', must: MEMORY },
  resume: {
    what: 'first request after `kill -9`, a tenth bought, beyond hashing the list',
    must: '10 million rows: ≤ 3 s',
  },
  new: { what: 'first request of a new list', must: '10 million rows: ≤ 400 s' },
  starts: {
    what: 'start: `--version` / `status` / `run` to the first request',
    must: '≤ 40 / ≤ 120 / ≤ 350 ms',
  },
  bytes: { what: 'bytes of the ledger a bought call beyond the answer', must: '≤ 450' },
  short: {
    what: 'a list of 1,000 rows that is bought, whole command; processor a row',
    must: '≤ 0.7 s; ≤ 0.75 ms',
  },
  linear: {
    what: "processor a row of a long list ÷ a short one, without the start's",
    must: '0.9 to 1.1',
  },
} as const satisfies Readonly<Record<string, Goal>>;

export type FigureName = keyof typeof GOALS;
