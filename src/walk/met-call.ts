import { answerPlaceOf, thenOf } from '../client/dialect.ts';
import { remarkOn } from '../client/judge.ts';
import { readBody } from '../core/answer-body.ts';
import { askedText, type CallKey, keyOfAsked } from '../core/call-key.ts';
import { invariant } from '../core/errors.ts';
import { otherIn } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { Answer, Call, RowInput } from '../core/operation.ts';
import type { Outcome } from '../core/row.ts';
import type { WantedColumn } from '../core/steps.ts';
import type { AnswerAtHand, AttemptId } from '../ledger/ledger.ts';
import { type AnswerFields, cellText, saidAt, saidIn } from '../values/answer-fields.ts';
import { isBlankText } from '../values/blank.ts';
import type { AskedAccount } from './resolved-job.ts';

/**
 * A call that an operation named for a row. It is made only once, although the operation names the
 * call at every step.
 */
export class MetCall {
  readonly call: Call;
  readonly by: AskedAccount;
  /** The position of the step that asks for the call. */
  readonly at: number;
  answer: Answer | undefined;
  attempt: AttemptId | undefined;
  /** The remark of a row that ends with the answer to this call. */
  remark: Findings | undefined;
  /** The clause about an answer with something else in the place of what was looked for. The row says it. */
  other: Findings | undefined;
  /**
   * How the call stands among those of other accounts of its step. `looked`: the ledger has no answer to it.
   * `held`: the call is settled before another account is asked. `left`: its account takes no more calls.
   */
  stands: 'looked' | 'held' | 'left' | undefined;
  /** How the step ends here without an answer, and whether its other accounts are asked. */
  end: { readonly outcome: Outcome; readonly goesOn: boolean } | undefined;
  /** The columns that the answer fills, of those that the row needs of the step. */
  filled: RowInput | undefined;
  /** What the finder itself says of the address that it gives; undefined where it says nothing. */
  verdict: string | undefined;
  /** The values that are read in its answer. Undefined: it only matters whether something was found. */
  readonly wants: readonly WantedColumn[] | undefined;
  /** What the call finds is taken by another one. */
  readonly leads: boolean;
  readonly readsBody: boolean;
  #callText: string | undefined;
  #key: CallKey | undefined;

  constructor(call: Call, by: AskedAccount, at: number, wants?: MetCall['wants'], readsBody = false) {
    this.call = call;
    this.by = by;
    this.at = at;
    this.wants = wants;
    this.leads = thenOf(by.dialect, call) !== undefined;
    this.readsBody = readsBody || wants !== undefined || this.leads;
  }

  get callText(): string {
    this.#callText ??= askedText(this.call);
    return this.#callText;
  }

  /** Hashes the key on demand: at most once, and never for most calls of a waterfall. */
  get key(): CallKey {
    this.#key ??= keyOfAsked(this.by.account.identity, this.callText);
    return this.#key;
  }

  /** Takes the ledger's answer. @param readsAnswers whether the operation looks into it. */
  takeAnswer(answer: AnswerAtHand, readsAnswers: boolean): void {
    const readAnswer = operationAnswer(this.call, answer, readsAnswers || this.leads);
    if (readAnswer.kind === 'found') {
      this.remark = readAnswer.remark;
      if (this.wants !== undefined) {
        const answerFields = saidTo(this, answer);
        this.filled = filledBy(answerFields, this.wants);
        this.verdict = cellText(answerFields.ours.verdict) || undefined;
      }
    }
    if (readAnswer.kind === 'no_match') this.other = otherIn(answer.why);
    this.answer = readAnswer;
    this.attempt = answer.attempt;
  }
}

/** What is read in the answer to a check. */
export const VERDICT: readonly WantedColumn[] = [{ column: 'verdict', path: 'verdict' }];

function saidTo({ call, by }: MetCall, { body }: AnswerAtHand): AnswerFields {
  invariant(body !== undefined, 'an answer that fills cells comes with its body');
  return saidIn(body, answerPlaceOf(by.dialect, call.operation));
}

/** The columns that an answer fills. */
function filledBy(answerFields: AnswerFields, wants: readonly WantedColumn[]): RowInput {
  const filled = wants.map(({ column, path }) => [column, cellText(saidAt(answerFields, path))] as const);
  return Object.fromEntries(filled.filter(([, text]) => !isBlankText(text)));
}

const FOUND = { kind: 'found', fields: null } as const;

/**
 * The ledger's answer in the form that an operation takes. The body is read only for an operation that looks
 * into it.
 */
function operationAnswer(call: Call, answer: AnswerAtHand, readsBody: boolean): Answer {
  const { kind, why } = answer;
  switch (kind) {
    case 'found': {
      const remark = remarkOn(call, why);
      if (!readsBody || answer.body === undefined) return remark === undefined ? FOUND : { ...FOUND, remark };
      const body = readBody(answer.body);
      const fields = body.kind === 'json' ? body.value : null;
      return { kind: 'found', fields, ...present({ remark }) };
    }
    case 'no_match':
      return { kind: 'no_match', findings: why };
    case 'refused':
      return { kind: 'refused', findings: why };
  }
}
