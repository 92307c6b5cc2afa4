import { inputWords, whatWords } from '../../../../../files/output/summary-words.ts';
import { RefusedNotice } from '../../../parts/asking.tsx';
import { Button, ButtonLink, Foot, Notice } from '../../../parts/controls.tsx';
import type { Refused } from '../../../session.ts';
import { columnsUsed } from '../columns.ts';
import { inputsOf, stepsOf, UNREAD, withAsked } from '../job.ts';
import { columnsOfHers, isTeam, type OfScene } from '../scene.ts';
import { accountsFor } from './accounts.ts';

interface HeldProps extends OfScene {
  /** What no account is here for. */
  readonly unasked: string | undefined;
  readonly refused: Refused | undefined;
}

/** Why nothing can be started as it is chosen, also on a telephone. */
export const Held = ({ scene, unasked, refused }: HeldProps) => (
  <Foot>
    {unasked === undefined ? (
      <>
        <RefusedNotice refused={refused} />
        <Meant scene={scene} refused={refused} />
      </>
    ) : (
      <Notice says={`No account is here for ${whatWords(unasked)}.`}>
        <ButtonLink to={accountsFor(isTeam(scene))} says="Look at the accounts" />
      </Notice>
    )}
    <div class="bar">
      <Button look="go" says="Start" disabled />
    </div>
  </Foot>
);

/** What a column is of which the plan cannot tell whether it shall be read: an input, or nothing. */
function Meant({ scene, refused }: Pick<HeldProps, 'scene' | 'refused'>) {
  const [step] = stepsOf(scene.job);
  const ways = (refused?.does ?? []).flatMap((each) => {
    if (!('flag' in each) || each.flag !== '--column') return [];
    const [input = '', column = ''] = (each.value ?? '').replaceAll(/^'|'$/g, '').split('=');
    return [{ input, column }];
  });
  const unread = ways.find(({ column }) => column === UNREAD);
  if (step === undefined || unread === undefined) return null;
  const { input } = unread;
  const job = { ...scene.job, columns: columnsUsed(scene) };
  const read = ways.find(({ column }) => columnsOfHers(scene).includes(column));
  const choose = (column: string): void => scene.choose(withAsked(job, step, { [input]: column }));
  return (
    <div class="bar">
      {read && inputsOf(step.operation).includes(input) && (
        <Button says={`It is the ${inputWords(input)}`} onClick={() => choose(read.column)} />
      )}
      <Button look="quiet" says="Do not read it" onClick={() => choose(UNREAD)} />
    </div>
  );
}
