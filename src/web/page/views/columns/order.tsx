import type { PlanView } from '../../../api.ts';
import { text } from '../../text.ts';
import { type Choosing, choose } from './choosing.ts';

/** By what rows are looked up, in turn until one matches. */
export function Order({ operation, choices, plan }: Choosing & { readonly plan: PlanView | undefined }) {
  const mapped = plan?.columns ?? choices.value.columns ?? {};
  const usual = operation.tiers.filter((tier) => mapped[tier] !== undefined);
  const order = choices.value.waterfall ?? usual;
  const others = operation.tiers.filter((tier) => !order.includes(tier));
  if (operation.tiers.length < 2 || usual.length + (choices.value.waterfall?.length ?? 0) < 2) return null;
  const say = (tiers: readonly string[]): void => {
    const isUsual = tiers.join() === usual.join() || tiers.length === 0;
    choose(choices, { waterfall: isUsual ? undefined : [...tiers] });
  };
  const first = (tier: string): void => say([tier, ...order.filter((each) => each !== tier)]);
  return (
    <section class="card stack">
      <h2>{text.columns.order}</h2>
      <ol class="order">
        {order.map((tier, at) => (
          <li key={tier}>
            <strong>{wordsOf(tier)}</strong>{' '}
            {at > 0 && (
              <button type="button" class="plain" onClick={() => first(tier)}>
                {text.columns.first(wordsOf(tier))}
              </button>
            )}
            {order.length > 1 && (
              <button type="button" class="plain" onClick={() => say(order.filter((each) => each !== tier))}>
                {text.columns.leaveOut(wordsOf(tier))}
              </button>
            )}
          </li>
        ))}
      </ol>
      {others
        .filter((tier) => mapped[tier] !== undefined)
        .map((tier) => (
          <p key={tier}>
            <button type="button" class="plain" onClick={() => say([...order, tier])}>
              {text.columns.alsoBy(wordsOf(tier))}
            </button>
          </p>
        ))}
    </section>
  );
}

const wordsOf = (tier: string): string => tier.replaceAll('_', ' ').replaceAll('+', ' + ');
