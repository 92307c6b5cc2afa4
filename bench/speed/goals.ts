/** What each figure must be, and what it shall become. */
export interface Goal {
  readonly what: string;
  readonly must: string;
  readonly goal: string;
}

const MEMORY = { must: '≤ 1.2', goal: '< 250 MiB' };

export const GOALS = {
  naive: {
    what: 'end to end, vendor unlimited, ledger durable ÷ naive script',
    must: '≥ 1.0',
    goal: '≥ 1.15',
  },
  bare: { what: 'end to end, vendor unlimited ÷ bare undici, two cores', must: '≥ 0.55', goal: '≥ 0.65' },
  'bare-pinned': {
    what: 'end to end, vendor unlimited ÷ bare undici, pinned to one core',
    must: '≥ 0.40',
    goal: '≥ 0.50',
  },
  latency: { what: 'vendor latency 20 ms, 64 at once ÷ bare undici', must: '≥ 0.9', goal: '≥ 0.95' },
  replay: { what: 'replay ÷ csv-parse alone', must: '≤ 4', goal: '≤ 3.0' },
  plan: { what: '`plan` with a job ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.5' },
  describe: { what: '`plan` without a job ÷ csv-parse alone', must: '≤ 2.0', goal: '≤ 1.5' },
  again: { what: 'output written again ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.5' },
  limit: {
    what: 'share of a vendor limit used by `rowonce run`, 429s',
    must: '≥ 99 % to 500/s, ≥ 97.5 % at 5,000/s, 0',
    goal: '≥ 99.4 %, 0',
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
    must: '≤ 40 / ≤ 80 / ≤ 350 ms',
    goal: '',
  },
  bytes: { what: 'bytes of the ledger a bought call beyond the answer', must: '≤ 250', goal: '' },
  linear: {
    what: "processor a row of a long list ÷ a short one, without the start's",
    must: '0.9 to 1.1',
    goal: '',
  },
} as const satisfies Readonly<Record<string, Goal>>;

export type FigureName = keyof typeof GOALS;
