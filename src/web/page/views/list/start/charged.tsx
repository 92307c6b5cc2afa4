import { chargeWords } from '../../../../../core/charge-words.ts';
import { counted } from '../../../parts/figures.ts';
import type { OfPlan } from '../scene.ts';

/** What the account charges for the changes, and for which of them. */
export const Charged = ({ plan: { credits, charges } }: Pick<OfPlan, 'plan'>) => (
  <p>
    {counted(credits.most, 'credit')} at most{chargeWords(charges)}.
  </p>
);
