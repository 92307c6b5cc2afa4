import type { ComponentChildren } from 'preact';
import type { ListJobChoice, PlanObject } from '../../../api.ts';
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
  const { to_agree: question, reread, unanswered } = plan;
  const { value: agreed } = scene.agreed;
  const agree = (more: Agreed): void => {
    scene.agreed.value = { ...agreed, ...more };
  };
  const losing = losingIn(plan);
  const again = reread ?? unanswered;
  const most = reread?.most ?? unanswered?.credits ?? 0;
  return (
    <>
      <Guards scene={scene} plan={plan} />
      {losing && (
        <Need fact={losing.fact}>
          <label class="row">
            <span>
              To agree, type <em>{losing.phrase}</em>
            </span>
            <input
              value={typedFor(losing, agreed)}
              onInput={({ currentTarget: { value: words } }) =>
                agree({ typed: { about: losing.about, words } })
              }
            />
          </label>
        </Need>
      )}
      {question && agreed.accept !== question.agreement && (
        <Need fact="What is sent to the vendor stands in a file, which another person may have written.">
          <details>
            <summary>Show what is sent</summary>
            <ul>
              {question.details.map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          </details>
          <Button look="go" says="Allow it" onClick={() => agree({ accept: question.agreement })} />
        </Need>
      )}
      {again && (
        <Need fact={`What was answered about ${counted(again.rows, 'row')} counts otherwise today.`}>
          <Checkbox
            says={`Look at it again, for ${counted(most, 'credit')} at most`}
            checked={agreed.yes ?? false}
            onCheck={(yes) => agree({ yes })}
          />
        </Need>
      )}
    </>
  );
}

const Need = ({ fact, children }: { readonly fact: string; readonly children: ComponentChildren }) => (
  <div class="need">
    <p>
      <b>{fact}</b>
    </p>
    {children}
  </div>
);

/** Whether nothing is left to be agreed to before a start. */
export function isAgreed({ agreed: { value: agreed } }: Scene, plan: PlanObject): boolean {
  const { to_agree: question, reread, guards = [] } = plan;
  const isAccepted = question === undefined || agreed.accept === question.agreement;
  const isAgain = reread === undefined || agreed.yes === true;
  const losing = losingIn(plan);
  const isTyped = !losing || typedFor(losing, agreed).trim().toLowerCase() === losing.phrase.toLowerCase();
  return isAccepted && isAgain && isTyped && guards.length === 0;
}

/** What she has typed about other people is no agreement. */
const typedFor = ({ about }: { readonly about: string }, { typed }: Agreed): string =>
  typed?.about === about ? typed.words : '';

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
  const limit = (more: ListJobChoice['guards']): void =>
    choose({ ...job, guards: { ...job.guards, ...more } });
  return (
    <>
      {Object.entries(set).map(
        ([name, value]) =>
          value !== undefined && (
            <Checkbox
              key={name}
              says={LIMITS[name]?.(value)}
              checked
              onCheck={() => limit({ [name]: undefined })}
            />
          ),
      )}
      {guards.map(({ fact, allow, allows }) => (
        <Need key={fact} fact={`This would ${fact}.`}>
          {allows === undefined ? (
            <p>Nothing allows that: {allow}.</p>
          ) : (
            <Checkbox says="Allow it" checked={isSet(allows)} onCheck={() => limit(allows)} />
          )}
        </Need>
      ))}
    </>
  );
}

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
