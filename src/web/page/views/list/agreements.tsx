import type { ListJobChoice, PlannedChangeObject, PlanObject } from '../../../api.ts';
import { Button, Checkbox, Field } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import type { Agreed, OfPlan, Scene } from './scene.ts';
import { isSent, whoIs } from './team-words.ts';

/** What a start does that she has to know first, and agrees to on purpose. */

export function Agreements({ scene, plan }: OfPlan) {
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
        <Stop says={losing.fact}>
          <Field
            says={
              <span>
                To agree, type <em>{losing.phrase}</em>
              </span>
            }
            value={typedFor(losing, agreed)}
            onInput={({ currentTarget: { value: words } }) =>
              agree({ typed: { about: losing.about, words } })
            }
          />
        </Stop>
      )}
      {question && agreed.accept !== question.agreement && (
        <Stop says="What is sent to the vendor stands in a file, which another person may have written.">
          <details>
            <summary>Show what is sent</summary>
            <ul>
              {question.details.map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          </details>
          <Button look="go" says="Allow it" onClick={() => agree({ accept: question.agreement })} />
        </Stop>
      )}
      {again && (
        <Stop says={`What was answered about ${counted(again.rows, 'row')} counts otherwise today.`}>
          <Checkbox
            says={`Look at it again, for ${counted(most, 'credit')} at most`}
            checked={agreed.yes ?? false}
            onCheck={(yes) => agree({ yes })}
          />
        </Stop>
      )}
    </>
  );
}

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

/** What she can allow, in the words of the tick that takes it away again. */
const LIMITS: Readonly<Record<string, (limit: unknown) => string>> = {
  admins: () => 'People may become admin',
  max_removals: (most) => `At most ${most} are removed`,
  max_invites: (most) => `At most ${most} are invited`,
  domains: (ends) => `Only addresses at ${ends} are invited`,
};

/** What goes too far, to be allowed by a tick, and what was allowed, whose tick can be taken away. */
function Guards({ scene: { job, choose }, plan: { guards = [] } }: OfPlan) {
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
        <Stop key={fact} says={`This would ${fact}.`}>
          {allows === undefined ? (
            <p>Nothing allows that: {allow}.</p>
          ) : (
            <Checkbox says="Allow it" checked={isSet(allows)} onCheck={() => limit(allows)} />
          )}
        </Stop>
      ))}
    </>
  );
}

/** Who loses access, or is admin no more, and what she has to type; undefined where nobody does. */
function losingIn({ changes = [] }: PlanObject) {
  const losing = changes.filter(
    (change) => isSent(change) && (change.action === 'remove' || isAdmin(change)),
  );
  const [first, second] = losing;
  if (first === undefined) return undefined;
  const admins = losing.filter(isAdmin).length;
  const asAdmin = admins === 0 ? '' : `, ${grouped(admins)} as admin`;
  return {
    fact: `${counted(losing.length, 'person loses', 'people lose')} access${asAdmin}.`,
    phrase: second === undefined ? whoIs(first) : `${losing.length} people`,
    about: losing.map((each) => `${whoIs(each)} in ${each.project}`).join(),
  };
}

const isAdmin = ({ from, to }: PlannedChangeObject): boolean => from === 'admin' && to !== 'admin';
