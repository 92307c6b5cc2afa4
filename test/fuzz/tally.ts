import type { Verdict } from './judge.ts';

/** Counts how inputs end. */
export class Tally {
  inputs = 0;
  rows = 0;
  read = 0;
  readonly refused = new Map<string, number>();
  readonly broken: { n: number; why: string }[] = [];
  /** The longest that one input took, which is read some ten times. */
  slowest = { n: -1, ms: 0 };

  add(n: number, verdict: Verdict, ms: number): void {
    this.inputs += 1;
    if (ms > this.slowest.ms) this.slowest = { n, ms };
    switch (verdict.kind) {
      case 'read':
        this.read += 1;
        this.rows += verdict.rows;
        break;
      case 'refused':
        this.refused.set(verdict.words, (this.refused.get(verdict.words) ?? 0) + 1);
        break;
      case 'broken':
        this.broken.push({ n, why: verdict.why });
        break;
    }
  }
}
