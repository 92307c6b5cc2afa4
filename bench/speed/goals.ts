/** What each figure must be, and what it shall become. */
export interface Goal {
  readonly what: string;
  readonly must: string;
  readonly goal: string;
}

export const GOALS = {
  naive: {
    what: 'end to end, vendor unlimited, ledger durable ÷ naive script',
    must: '≥ 1.0',
    goal: '≥ 1.15',
  },
  bare: { what: 'the same ÷ bare undici, two cores', must: '≥ 0.55', goal: '≥ 0.65' },
  'bare-pinned': { what: 'the same ÷ bare undici, pinned to one core', must: '≥ 0.40', goal: '≥ 0.50' },
  latency: { what: 'vendor latency 20 ms, 64 at once ÷ bare undici', must: '≥ 0.9', goal: '≥ 0.95' },
  replay: { what: 'replay ÷ csv-parse alone', must: '≤ 4', goal: '≤ 3.0' },
  plan: { what: '`plan` with a job ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.5' },
  describe: { what: '`plan` without a job ÷ csv-parse alone', must: '≤ 2.0', goal: '≤ 1.5' },
  again: { what: 'output written again ÷ csv-parse alone', must: '≤ 2.5', goal: '≤ 1.5' },
} as const satisfies Readonly<Record<string, Goal>>;

export type FigureName = keyof typeof GOALS;
