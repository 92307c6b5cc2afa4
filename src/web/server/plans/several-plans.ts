import { invariant } from '../../../core/errors.ts';
import type { PlanObject, PlansObject } from '../../../objects/plan-object.ts';

/** What several operations over one list come to, as one plan. An input is called by the operation that it is of, as in a job file. */

type Summed = 'duplicates' | 'bought_before' | 'in_doubt' | 'to_buy';

export function planOfSeveral(
  operations: readonly string[],
  { plans, credits }: ReturnType<typeof PlansObject.parse>,
): PlanObject {
  const [first] = plans;
  invariant(first !== undefined, 'a plan was printed for each operation');
  const all = plans as readonly PlanObject[];
  const sum = (of: (plan: PlanObject) => number): number => all.reduce((total, plan) => total + of(plan), 0);
  const summed = (name: Summed): number => sum((plan) => plan[name]);
  const named = (of: (plan: PlanObject) => Readonly<Record<string, string>> | undefined) =>
    Object.fromEntries(
      all.flatMap((plan, at) =>
        Object.entries(of(plan) ?? {}).map(([input, word]) => [`${operations[at]}.${input}`, word]),
      ),
    );
  const ofEach = <Item extends { readonly input: string }>(
    of: (plan: PlanObject) => readonly Item[],
  ): Item[] =>
    all.flatMap((plan, at) =>
      of(plan).map((item) => ({ ...item, input: `${operations[at]}.${item.input}` })),
    );
  const unused = ofEach((plan) => plan.unused ?? []);
  const fields = all.flatMap((plan, at) => (plan.fields ?? []).map((field) => `${operations[at]}.${field}`));
  const requests = all.flatMap((plan) => plan.requests ?? []);
  const reasons = all.flatMap((plan) => plan.reasons ?? []);
  const again = all.flatMap((plan) => plan.sent_again ?? []);
  return {
    id: all.map(({ id }) => id).join(','),
    unfinished: all.find(({ unfinished }) => unfinished !== undefined)?.unfinished,
    columns: named(({ columns }) => columns),
    because: named(({ because }) => because),
    ...(unused.length === 0 ? {} : { unused }),
    ...(fields.length === 0 ? {} : { fields, field_examples: named((plan) => plan.field_examples) }),
    rows: first.rows,
    // A row that is of no use to one of them may be so to another.
    invalid: Math.min(...all.map(({ invalid }) => invalid)),
    duplicates: summed('duplicates'),
    bought_before: summed('bought_before'),
    in_doubt: summed('in_doubt'),
    to_buy: summed('to_buy'),
    ...(again.length === 0
      ? {}
      : {
          sent_again: {
            rows: again.reduce((total, { rows }) => total + rows, 0),
            credits: again.reduce((total, each) => total + each.credits, 0),
          },
        }),
    credits,
    seconds: all.some(({ seconds }) => seconds === null) ? null : sum(({ seconds }) => seconds ?? 0),
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(first.sheets === undefined ? {} : { sheets: first.sheets }),
    damage: ofEach(({ damage }) => damage),
    ...(requests.length === 0 ? {} : { requests }),
    to_agree: all.find((plan) => plan.to_agree !== undefined)?.to_agree,
    reread: all.find((plan) => plan.reread !== undefined)?.reread,
  };
}
