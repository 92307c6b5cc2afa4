import { capital } from '../../../../../core/plain-text.ts';
import { Bar } from '../../../../../files/output/report/parts.ts';
import { paidWords } from '../../../../../files/output/summary-words.ts';
import type { BatchStatusObject } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { isStoppedAway } from '../../../parts/away.tsx';
import { ButtonLink, Notice, Panel, Scroll } from '../../../parts/controls.tsx';
import {
  counted,
  dayAndTime,
  duration,
  grouped,
  isBegun,
  money,
  needing,
  needWords,
  spentWords,
} from '../../../parts/figures.ts';
import { NotifyMe } from '../../../parts/notify.tsx';
import { ask } from '../../../session.ts';
import { isSoon, waitsUntil } from '../head/head.tsx';
import { type OfScene, rowsMended } from '../scene.ts';

/** What is said of a list while it runs: what it waits for, and beside the table how far it is. */

interface OfBatch {
  readonly batch: BatchStatusObject;
}

/** What holds the whole list up, or a part of it while the others go on. */
export const Waits = ({ scene }: OfScene) => (
  <>
    <Until scene={scene} />
    {scene.work?.ended_accounts.map((why) => (
      <Notice key={why} says={`${why} The others go on without it.`}>
        <ButtonLink to="/accounts" look="quiet" says="Look at the accounts" />
      </Notice>
    ))}
  </>
);

/** Why nothing is sent, and until when; with a try at once, where nobody has named the time. */
function Until({ scene: { batch, work } }: OfScene) {
  const until = batch?.running ? waitsUntil(batch) : undefined;
  if (batch === undefined || until === undefined) return null;
  const { paused_why: why = '', paused_asked: isAsked, may_try_now: mayTry } = batch;
  const next = isSoon(until) ? `in ${duration((Date.parse(until) - Date.now()) / 1000)}` : dayAndTime(until);
  // What a person of the terminal does about it follows in other sentences.
  const [fact = ''] = why.replace(/ \(HTTP \d+\)/, '').split(/\. (?=[A-Z])/);
  const says = isAsked
    ? `The vendor asked to wait. It goes on by itself ${next}; an earlier request would be refused.`
    : `${capital(fact)}. ${mayTry ? 'The next try is' : 'It goes on by itself'} ${next}; nothing is sent meanwhile.`;
  // A start asks once at once, which the run of another terminal is not ended for.
  const tryNow = async (): Promise<void> => {
    await ask(`/tasks/${work?.id}/stop`, { method: 'POST' });
    await ask('/tasks', { body: { work: work?.id, batch: batch.batch } });
  };
  return (
    <Notice calm says={says}>
      {mayTry && work?.state === 'working' && <Act says="Try now" does={tryNow} />}
    </Notice>
  );
}

/** Beside the table while it runs: what it has spent, what it waits for, and what needs attention already. */
export function SoFar({ scene }: OfScene) {
  const { batch } = scene;
  const attention = batch ? needing(batch) : 0;
  const wrong = attention - (batch?.counts.in_doubt ?? 0);
  return (
    <Panel name="So far" brief={batch?.has_costs ? `So far ${paidWords(batch)}` : 'So far'}>
      <Scroll>
        <h2>So far</h2>
        {batch && <Spent batch={batch} />}
        {isStoppedAway.value ? (
          <p class="soft">Start Rowonce again, then press “Go on”.</p>
        ) : (
          <>
            {batch ? <Speed batch={batch} /> : <p>It begins.</p>}
            <p class="soft">You may close this tab: it goes on. {batch && <NotifyMe batch={batch} />}</p>
          </>
        )}
        {attention > 0 && (
          <p class="need">
            <a href="?needs">{needWords(attention)}</a>.{' '}
            {wrong > rowsMended(scene) && 'Wrong cells can be corrected while it runs.'}
          </p>
        )}
      </Scroll>
    </Panel>
  );
}

/** What a change does stands in the title. */
function Spent({ batch }: OfBatch) {
  const { credits, accounts, cost, has_costs: hasCosts } = batch;
  const { budget, spent } = credits;
  if (!hasCosts) return null;
  // Credits of several accounts are no sum: their budget alone counts them together.
  if (accounts !== undefined)
    return (
      <>
        <p>
          <span class="big">{paidWords(batch)}</span>
        </p>
        {budget !== null && <Bar part={spent} all={budget} />}
      </>
    );
  return (
    <>
      <p>
        <span class="big">{spentWords(credits)}</span>
        {budget !== null && ` of ${grouped(budget)}`} credits
        {cost && `, ${money(cost)}`}
      </p>
      {budget !== null && <Bar part={spent} all={budget} />}
    </>
  );
}

function Speed({ batch }: OfBatch) {
  const { requests_last_minute: requests, counts } = batch;
  // Why it waits stands above her table.
  if (waitsUntil(batch) !== undefined) return null;
  if (!isBegun(batch)) return <p>It begins.</p>;
  if (batch.open > 0 && requests === 0 && counts.matched === undefined)
    return <p class="soft">{counted(batch.open, 'question')} wait for an answer.</p>;
  return <p class="soft">{counted(requests, 'request')} in the last minute, as the account allows.</p>;
}
