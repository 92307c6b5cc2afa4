import { z } from 'zod';
import { METHODS } from '../core/operation.ts';
import { stopObject } from '../core/stop-object.ts';
import type { Money } from '../ledger/ledger.ts';
import {
  type RanTrial,
  requestShown,
  ruleBehind,
  ruleProposed,
  type Trial,
  type Tried,
  triedFields,
} from '../run/tasks/trial.ts';
import { SpentObject } from './batch-object.ts';
import { membersOf, noun } from './noun.ts';
import { RuleObject, replyMembers, ruleShown } from './row-object.ts';
import { StopObject } from './stop-object.ts';

/** A request that was tried, and what came of it. */
interface Told {
  readonly batch: string;
  readonly source: 'bought' | 'ledger' | 'sandbox';
  readonly trial: Trial;
  /** Undefined when nothing was sent. */
  readonly tried: Tried | undefined;
  readonly means?: Parameters<typeof ruleProposed>[2] | undefined;
  readonly money: Pick<Money, 'spent' | 'isAtMost' | 'inDoubt'>;
  readonly stopped: RanTrial['summary']['stopped'];
}

const RequestObject = z.object({
  method: z.enum(METHODS),
  url: z.string(),
  /** With a word in the place of the key. */
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
});

const ReplyObject = noun(replyMembers);

const settled = ({ tried }: Told) => (tried?.closure?.kind === 'answered' ? tried.closure : undefined);

const told = membersOf<Told>();
/** What `try` prints. The members about the answer are null where there is none. */
export const TrialObject = noun({
  batch: told(z.string(), ({ batch }) => batch),
  source: told(z.enum(['bought', 'ledger', 'sandbox']), ({ source }) => source),
  request: told(RequestObject, ({ trial }) => requestShown(trial)),
  reply: told(ReplyObject.nullable(), ({ tried }) => (tried?.reply ? ReplyObject.of(tried.reply) : null)),
  answer: told(z.string().nullable(), (of) => settled(of)?.answer ?? of.tried?.closure?.kind ?? null),
  charged: told(z.number().nullable(), (of) => settled(of)?.charged ?? null),
  /** The entry of the dialect that decided, with what it asks of a reply. */
  rule: told(RuleObject.nullable(), ({ trial, tried }) => ruleShown(tried && ruleBehind(trial, tried))),
  /** With `--means`: the rule that would read such answers so. */
  proposed: told(z.string().nullable().optional(), ({ trial, tried, means }) =>
    means === undefined || tried === undefined ? undefined : (ruleProposed(trial, tried, means) ?? null),
  ),
  /** Paths in the answer, for `add`. */
  fields: told(z.array(z.string()), ({ trial, tried }) => (tried ? triedFields(trial, tried).paths : [])),
  /** What was spent now. */
  credits: told(SpentObject, ({ money }) => SpentObject.of(money)),
  stopped: told(StopObject.nullable(), ({ stopped }) => stopObject(stopped)),
});
