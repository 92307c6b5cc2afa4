import type { ListJobChoice, PlanObject } from '../../../api.ts';
import { forPage } from '../../loaded.tsx';
import { Button, Checkbox } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import type { Agreed, Scene } from './scene.ts';
import { isSent, whoIs } from './team-words.ts';

/** What a start does that she has to know first, and agrees to on purpose. */

interface AgreementsProps {
  readonly scene: Scene;
  readonly plan: PlanObject;
}

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

/** How far it may go, as far as the list says so; admins and removals have limits of their own. */
const LIMITS: Readonly<Record<string, (limit: unknown) => string>> = {
  admins: () => 'People may become admin',
  max_removals: (most) => `At most ${most} are removed`,
  max_invites: (most) => `At most ${most} are invited`,
  domains: (ends) => `Only addresses at ${ends} are invited`,
};

/** What goes too far, to be allowed by a tick, and what was allowed, whose tick can be taken away. */
function Guards({ scene: { job, choose }, plan: { guards = [] } }: AgreementsProps) {
  const set: Readonly<Record<string, unknown>> = job.guards ?? {};
  // Until the next plan is there, what she has just allowed keeps its tick.
  const isSet = (allows: object): boolean =>
    Object.entries(allows).every(([name, value]) => String(set[name]) === String(value));
  const allowed = Object.entries(set).filter(([, value]) => value !== undefined);
  const limit = (more: ListJobChoice['guards']): void =>
    choose({ ...job, guards: { ...job.guards, ...more } });
  return (
    <>
      {allowed.map(([name, value]) => (
        <Checkbox
          key={name}
          says={LIMITS[name]?.(value)}
          checked
          onCheck={() => limit({ [name]: undefined })}
        />
      ))}
      {guards.map(({ fact, allow, allows }) => (
        <div class="need" key={fact}>
          <p>
            <b>This would {fact}.</b>
          </p>
          {allows === undefined ? (
            <p>Nothing allows that: {allow}.</p>
          ) : (
            <Checkbox says="Allow it" checked={isSet(allows)} onCheck={() => limit(allows)} />
          )}
        </div>
      ))}
    </>
  );
}

/** The field in which she types who loses access. */
function Losing({ scene: { agreed }, plan }: AgreementsProps) {
  const losing = losingIn(plan);
  if (losing === undefined) return null;
  return (
    <div class="need">
      <p>
        <b>{losing.fact}</b>
      </p>
      <label class="row">
        <span>
          To agree, type <em>{losing.phrase}</em>
        </span>
        <input
          value={typedAbout(agreed.value, losing)}
          onInput={({ currentTarget: { value: words } }) => {
            agreed.value = { ...agreed.value, typed: { about: losing.about, words } };
          }}
        />
      </label>
    </div>
  );
}

function isTyped(agreed: Agreed, plan: PlanObject): boolean {
  const losing = losingIn(plan);
  if (losing === undefined) return true;
  return typedAbout(agreed, losing).trim().toLowerCase() === losing.phrase.toLowerCase();
}

/** What she has typed about other people is no agreement. */
const typedAbout = ({ typed }: Agreed, { about }: { readonly about: string }): string =>
  typed?.about === about ? typed.words : '';

/** What she has to type; undefined where nobody loses anything. */
function losingIn({ changes = [] }: PlanObject) {
  const sent = changes.filter(isSent);
  const removed = sent.filter(({ action }) => action === 'remove');
  const admins = sent.filter(
    ({ from, to, action }) => from === 'admin' && to !== 'admin' && action !== 'remove',
  );
  const [first, second] = [...removed, ...admins];
  if (first === undefined) return undefined;
  const asAdmin = removed.filter(({ from }) => from === 'admin').length;
  const lost = [
    removed.length > 0 && `${counted(removed.length, 'person loses', 'people lose')} access`,
    asAdmin > 0 && `${grouped(asAdmin)} of them as admin`,
    admins.length > 0 && `${counted(admins.length, 'admin is', 'admins are')} admin no more`,
  ];
  const many = removed.length > 0 ? `remove ${removed.length} people` : `change ${admins.length} admins`;
  return {
    fact: `${lost.filter(Boolean).join(', ')}.`,
    phrase: second === undefined ? whoIs(first) : many,
    about: [...removed, ...admins].map((each) => `${whoIs(each)} in ${each.project}`).join(),
  };
}
