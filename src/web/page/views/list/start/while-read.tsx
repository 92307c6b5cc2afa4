import type { WorkAnswer } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { Button, Foot } from '../../../parts/controls.tsx';
import { counted, duration } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import { stepsOf } from '../job.ts';
import { focusTable } from '../mends/mends.tsx';
import { isTeam, type Scene, TRIED_FIRST } from '../scene.ts';
import { isPlay, type OfAccounts } from './accounts.ts';

interface WhileReadProps extends OfAccounts {
  readonly reading: NonNullable<Scene['reading']>;
}

/** Of a long list a few rows can be tried before its price is known. */
export function WhileRead({ scene, accounts, reading }: WhileReadProps) {
  const { list, job } = scene;
  const { rows, about, seconds, to_buy: toBuy, most_each: each } = reading;
  // Of the first moment nothing can be said: the command has only begun.
  const secondsLeft = seconds >= 1 && about !== null ? seconds * (about / rows - 1) : undefined;
  const most = TRIED_FIRST * each;
  const tryFirst = async (): Promise<void> => {
    const budget = isPlay(stepsOf(job), accounts) ? undefined : most;
    scene.choose(job);
    await ask<WorkAnswer>('/run', { body: { file: list?.id, job, budget, sample: TRIED_FIRST } });
    focusTable();
  };
  const canTry = toBuy >= TRIED_FIRST && !isTeam(scene);
  return (
    <Foot>
      <p class="big soft">
        {secondsLeft === undefined
          ? 'Counting what it costs…'
          : `Price in about ${duration(Math.max(1, secondsLeft))}`}
      </p>
      <div class="bar">
        {!isTeam(scene) && (
          <Act look="go" says={`Try ${TRIED_FIRST} first`} disabled={!canTry} does={tryFirst} />
        )}
        <Button says="Start all" disabled />
      </div>
      <p class="why">
        “Start all” waits until every row is read.
        {canTry && ` ${TRIED_FIRST} can be tried now, for ${counted(most, 'credit')} at most.`}
      </p>
    </Foot>
  );
}
