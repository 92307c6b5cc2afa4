import { whatWords } from '../../../../../files/output/summary-words.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { type Fact, Facts, Folded } from '../../../parts/controls.tsx';
import { askedApart, duration, grouped, needWords } from '../../../parts/figures.ts';
import { isFill } from '../job.ts';
import type { OfPlan } from '../scene.ts';
import { priceWithin, type Within } from './offers.ts';

const Attention = lazyPart(async () => (await import('../course/attention.tsx')).Attention);

/** What of the list will be asked, and what is free. */
export function Price({ scene, plan }: OfPlan) {
  const reasons = (plan.reasons ?? []).map(({ says, count, first_rows }) => {
    return { kind: 'invalid', words: says, rows: count, first_rows };
  });
  const some = (rows = 0, more = ''): string => (rows === 0 ? '' : grouped(rows) + more);
  const counts: readonly Fact[] = [
    ['Will be asked', grouped(plan.to_buy)],
    ...askedApart(plan).map(({ operation, rows }): Fact => [whatWords(operation), grouped(rows)]),
    ['Known already', some(plan.bought_before, ', free')],
    ['Duplicates', some(plan.duplicates, ', free')],
    [isFill(scene.job) ? 'Filled already' : 'Left out', some(plan.skipped, ', free')],
  ];
  return (
    <>
      <Facts
        of={[
          // After a try the tiles count what is left: the plan knows what was tried as bought before.
          ...(scene.tried === undefined ? counts : []),
          ['An answer is on its way', some(plan.accepted)],
          ['In doubt', some(plan.in_doubt)],
        ]}
      />
      {reasons.length > 0 && (
        <Folded says={<span class="need">{needWords(plan.invalid)}</span>}>
          {() => <Attention reasons={reasons} opened={scene.opened} />}
        </Folded>
      )}
    </>
  );
}

/** What it costs at most and probably, as far as she allows it. */
export function Cost({ scene, plan, within }: OfPlan & { readonly within: Within }) {
  const { credits, seconds, to_buy: toBuy } = plan;
  const price = priceWithin(plan, within);
  // Credits of several accounts are no sum; they stand beside each account.
  const isSummed = price !== undefined && new Set(plan.steps?.map(({ account }) => account)).size > 1;
  const probably = [
    // What a try promises stands above.
    credits.expected >= within.credits || scene.tried ? '' : `most likely ${grouped(credits.expected)}`,
    seconds === null || toBuy === 0 ? '' : `about ${duration(seconds)}`,
  ];
  return (
    <p aria-busy={scene.planned.waits}>
      {isSummed ? (
        <>
          <span class="big">{price}</span> at most
        </>
      ) : (
        <>
          <span class="big">{grouped(within.credits)}</span> {within.credits === 1 ? 'credit' : 'credits'} at
          most{price && `, ${price}`}
        </>
      )}
      <br class="wide" />
      <span class="soft wide">{probably.filter(Boolean).join(' · ')}</span>
    </p>
  );
}
