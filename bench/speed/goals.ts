/** What each figure must be, and what it shall become. */
export interface Goal {
  readonly what: string;
  readonly must: string;
  readonly goal: string;
}

/** 250 MB are 238 MiB, in which the kernel counts. */
const MEMORY = { must: '≤ 1.2, < 238 MiB', goal: '' };

export const GOALS = {
  processor: {
    what: "processor of a bought row, vendor unlimited, ledger durable ÷ the naive script's",
    must: '≤ 1.43 (110 s a million)',
    goal: '≤ 1.1 (85 s)',
  },
  naive: {
    what: "rate, vendor unlimited, ledger durable ÷ the naive script's",
    must: '≥ 0.70',
    goal: '≥ 0.90',
  },
  bare: { what: 'the same ÷ bare undici, two cores', must: '≥ 0.22', goal: '≥ 0.28' },
  latency: { what: 'vendor latency 20 ms, 64 at once ÷ bare undici', must: '≥ 0.88', goal: '≥ 0.92' },
  replay: { what: 'replay ÷ csv-parse alone', must: '', goal: '' },
  plan: { what: '`plan` with a job ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.5' },
  describe: { what: '`plan` without a job ÷ csv-parse alone', must: '≤ 2.0', goal: '≤ 1.5' },
  again: { what: 'output written again ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.7' },
  long: {
    what: 'replay / output written again, to the end',
    must: '10 million rows: ≤ 300 / ≤ 120 s',
    goal: '',
  },
  'plan-half': {
    what: '`plan` with a job, half of the list bought before',
    must: 'a million rows: ≤ 15 s',
    goal: '',
  },
  limit: {
    what: 'share of a vendor limit used by `rowonce run`, 429s, idle cores',
    must: '≥ 99 % to 500/s, ≥ 97.5 % at 5,000/s with half a core idle, 0',
    goal: '≥ 99 %, 0',
  },
  limiter: {
    what: 'share of a vendor limit used by limiter and transport alone, 429s',
    must: 'the same',
    goal: 'the same',
  },
  'memory-run': { what: 'peak memory, long list ÷ short list: `run`, bought', ...MEMORY },
  'memory-replay': { what: 'peak memory, long list ÷ short list: `run`, bought before', ...MEMORY },
  'memory-again': { what: 'peak memory, long list ÷ short list: `run`, written again', ...MEMORY },
  'memory-plan': { what: 'peak memory, long list ÷ short list: `plan` with a job', ...MEMORY },
  'memory-describe': { what: 'peak memory, long list ÷ short list: `plan` without a job', ...MEMORY },
  resume: {
    what: 'resume, nine tenths settled, to the first new request: clean end / after a kill',
    must: '10 million rows: ≤ 15 / ≤ 60 s',
    goal: '≤ 10 / ≤ 30 s',
  },
  starts: {
    what: 'start: `--version` / `status` / `run` to the first request',
    must: '≤ 40 / ≤ 120 / ≤ 350 ms',
    goal: '',
  },
  bytes: { what: 'bytes of the ledger a bought call beyond the answer', must: '≤ 450', goal: '' },
  short: {
    what: 'processor a row of a list of 1,000 that is bought, its start included',
    must: '≤ 0.75 ms',
    goal: '≤ 0.6 ms',
  },
  linear: {
    what: "processor a row of a long list ÷ a short one, without the start's",
    must: '0.9 to 1.1',
    goal: '',
  },
} as const satisfies Readonly<Record<string, Goal>>;

export type FigureName = keyof typeof GOALS;
