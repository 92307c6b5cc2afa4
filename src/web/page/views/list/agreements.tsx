import type { PlanObject } from '../../../api.ts';
import { forPage } from '../../loaded.tsx';
import { Button, Checkbox } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import { Guards, isTyped, Losing } from './losing.tsx';
import type { Agreed, Scene } from './scene.ts';

interface AgreementsProps {
  readonly scene: Scene;
  readonly plan: PlanObject;
}

/** What a start does that she has to know first. */
export function Agreements({ scene, plan }: AgreementsProps) {
  const { to_agree: question, moved, reread, unanswered } = plan;
  const { value: agreed } = scene.agreed;
  const agree = (more: Agreed): void => {
    scene.agreed.value = { ...agreed, ...more };
  };
  const again = reread ?? unanswered;
  const most = reread?.most ?? unanswered?.credits ?? 0;
  return (
    <>
      <Guards scene={scene} plan={plan} />
      <Losing scene={scene} plan={plan} />
      {question && agreed.accept !== question.agreement && (
        <div class="need">
          <p>
            <b>What is sent to the vendor stands in a file,</b> which another person may have written. Look at
            it before you allow it.
          </p>
          <details>
            <summary>Show what is sent</summary>
            <ul>
              {question.details.map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          </details>
          <Button look="go" says="Allow it" onClick={() => agree({ accept: question.agreement })} />
        </div>
      )}
      {moved && (
        <div class="need">
          <p>{forPage(moved.message) || 'The account is at another address than before.'}</p>
          <p class="row">
            <Button says="It is the same account" onClick={() => agree({ accept: 'same-account' })} />
            <Button says="It is another one" onClick={() => agree({ accept: 'new-account' })} />
          </p>
        </div>
      )}
      {again && (
        <div class="need">
          <Checkbox
            says={`What was answered about ${counted(again.rows, 'row')} counts otherwise today: look at it again, for ${counted(most, 'credit')} at most`}
            checked={agreed.yes ?? false}
            onCheck={(yes) => agree({ yes })}
          />
        </div>
      )}
    </>
  );
}

/** Whether nothing is left to be agreed to before a start. */
export function isAgreed({ agreed }: Scene, plan: PlanObject): boolean {
  const { to_agree: question, moved, reread, guards = [] } = plan;
  const { accept, yes = false } = agreed.value;
  const isAccepted = question === undefined || accept === question.agreement;
  const isAgain = reread === undefined || yes;
  return isAccepted && isAgain && moved === undefined && guards.length === 0 && isTyped(agreed.value, plan);
}
