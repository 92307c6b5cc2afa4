import { moneyShare } from '../../../../../core/money.ts';
import type { PlanObject } from '../../../../api.ts';
import { counted, grouped, money } from '../../../parts/figures.ts';
import { hasAnswers } from '../course/again-asked.ts';
import { changedWords, type Scene } from '../scene.ts';
import { isSent } from '../team.ts';
import { nothingSent } from './agreed.ts';

/** What can be started, in the words of its button, and the most that it may cost. */

/** What her own limit, and the budgets of the accounts, leave for a start. */
export interface Within {
  /** The most credits that are spent from now on. */
  readonly credits: number;
  /** How many of the rows to be asked that is enough for; undefined where it is enough for all. */
  readonly rows: number | undefined;
}

/**
 * @param budget what she allows for the whole list; undefined where nothing is limited, as with play money.
 * @param held what of that is spent already, or in doubt.
 */
export function withinOf(
  {
    credits: { most },
    to_buy: toBuy,
    short_budgets: short = [],
  }: Pick<PlanObject, 'credits' | 'to_buy' | 'short_budgets'>,
  budget: number | undefined,
  held: number,
): Within {
  const hers = budget === undefined ? most : Math.max(0, budget - held);
  const accountCredits = short.flatMap(({ rows, left }) => (rows === undefined ? [] : [left]));
  const credits = Math.min(most, hers, ...accountCredits);
  // Rows may cost different sums, so that this is about so many.
  return { credits, rows: credits === most ? undefined : Math.floor((toBuy * credits) / most) };
}

/** `114 credits`, and their part of the money that all of them are. */
export function priceWithin({ credits, cost }: Pick<PlanObject, 'credits' | 'cost'>, within: Within) {
  const isAll = within.credits === credits.most;
  return cost && money(isAll ? cost.most : moneyShare(cost.most, within.credits / credits.most));
}

export interface Offer {
  readonly says: string;
  /** How many random rows are tried alone. */
  readonly sample?: number;
}

/**
 * The rows that she selected, the rest after a try, or all; a few first, where these would be asked. What
 * spends says its price.
 */
export function offersOf(scene: Scene, plan: PlanObject, within: Within): readonly Offer[] {
  const { to_buy: toBuy, changes, this_run: part } = plan;
  const price = within.rows === 0 ? '' : `, ${startPrice(within, priceWithin(plan, within))}`;
  if (changes !== undefined) {
    const { length: sent } = changes.filter(isSent);
    const charged = plan.credits.most > 0 ? price : '';
    if (sent > 0) return [{ says: `Make ${counted(sent, 'change')}${charged}` }];
    return nothingSent(plan) === undefined ? [] : [{ says: 'Make changes' }];
  }
  const { size } = scene.selected.value;
  // Rows that the list has already are asked again, or not at all.
  if (size > 0) return isKnown(scene, plan) ? [] : [{ says: selectedWords(toBuy, size) + price }];
  if (scene.tried && toBuy === 0) return [];
  const isTry = part && part.rows > 0 && part.rows < toBuy && part.credits <= within.credits;
  const rest = { says: restWords(scene, toBuy, within, isTry) + price };
  if (!isTry) return [rest];
  return [{ says: `Try ${part.rows} first, ${startPrice(part)}`, sample: part.rows }, rest];
}

/** Whether the list has an answer for each of the selected rows. */
export const isKnown = (scene: Scene, { to_buy: toBuy, bought_before: known }: PlanObject): boolean =>
  scene.selected.value.size > 0 && toBuy === 0 && known > 0 && hasAnswers(scene);

function selectedWords(toBuy: number, size: number): string {
  if (size === 1) return 'Ask the selected row';
  const some = toBuy > 0 && toBuy < size ? `${grouped(toBuy)} of ` : '';
  return `Ask ${some}the ${grouped(size)} selected`;
}

interface StartPrice {
  readonly credits: number;
  readonly cost?: Parameters<typeof money>[0];
}

/** `A$8.00`, or in credits where the account has no price. */
export function startPrice({ credits, cost }: StartPrice, price = money(cost)): string {
  return credits === 0 ? 'free' : price || counted(credits, 'credit');
}

function restWords(scene: Scene, toBuy: number, { rows }: Within, isTry: boolean | undefined): string {
  if (rows !== undefined) return `Start about ${grouped(rows)} of ${grouped(toBuy)}`;
  if (scene.tried) return `Start the other ${grouped(toBuy)}`;
  return changedWords(scene, toBuy) ?? (isTry ? 'Start all' : 'Start');
}
