import type { Verdict } from './judge.ts';

/** How inputs ended, counted. */
export interface Report {
  readonly inputs: number;
  readonly rows: number;
  readonly read: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly broken: readonly { readonly n: number; readonly why: string }[];
  /** The longest that one input, which is read some ten times, took of its thread's processor time. */
  readonly slowest: { readonly n: number; readonly ms: number };
}

/** Counts how inputs end. */
export class Tally implements Report {
  inputs = 0;
  rows = 0;
  read = 0;
  readonly refused = new Map<string, number>();
  readonly broken: { n: number; why: string }[] = [];
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

  merge(other: Report): void {
    this.inputs += other.inputs;
    this.rows += other.rows;
    this.read += other.read;
    for (const [words, count] of other.refused)
      this.refused.set(words, (this.refused.get(words) ?? 0) + count);
    this.broken.push(...other.broken);
    if (other.slowest.ms > this.slowest.ms) this.slowest = other.slowest;
  }
}
