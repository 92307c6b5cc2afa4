import { z } from 'zod';
import { CODES } from '../core/cell-problems.ts';
import { FINDINGS, type Finding, type FindingCode } from '../core/findings.ts';

/** What is said of a row, or of why an attempt ended, as data: a code with its facts. */

const placed = {
  /** The step of a row of several, or the project of a change. */
  step: z.string().exactOptional(),
  /** The account, where a step asks several. */
  account: z.string().exactOptional(),
  column: z.string().exactOptional(),
};

const [first = 'too_long', ...others] = CODES;
const ofCell = z.object({
  code: z.enum([first, ...others]),
  ...placed,
  facts: z.object(FINDINGS[first].facts),
});

/** The codes without those of a cell that cannot be used, which all have the same facts. */
const OTHER_CODES = (Object.keys(FINDINGS) as readonly FindingCode[]).filter(
  (code) => !CODES.some((each) => each === code),
);

const ofCode = (code: FindingCode) =>
  z.object({ code: z.literal(code), ...placed, facts: z.object(FINDINGS[code].facts) });

/** One of the codes of the table in docs/reference/json.md, with its facts. */
export const FindingObject: z.ZodType<Finding> = z.discriminatedUnion('code', [
  ofCell,
  ...OTHER_CODES.map(ofCode),
]) as never;
