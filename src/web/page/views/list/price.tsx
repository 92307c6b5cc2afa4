import { isInvite } from '../../../../core/described.ts';
import { Needs } from '../../../../files/output/report/needs.ts';
import { Fold } from '../../../../files/output/report/table.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { ListJobChoice, PlannedChangeObject, PlanObject } from '../../../api.ts';
import { Button, Checkbox, Facts, Field, RowLinks, Sentences, Stop } from '../../parts/controls.tsx';
import { askedApart, counted, duration, grouped, money, needWords } from '../../parts/figures.ts';
import { isFill } from './job.ts';
import type { Agreed, OfPlan, Scene } from './scene.ts';
import { isSent, whoIs } from './team.ts';

/** What of the list will be asked, and what is free. */
export function Price({ scene, plan }: OfPlan) {
  const reasons = (plan.reasons ?? []).map(({ says, count, first_rows }) => {
    return { kind: 'invalid', words: says, rows: count, first_rows };
  });
  const some = (rows = 0, more = ''): string => (rows === 0 ? '' : grouped(rows) + more);
  return (
    <>
      <Facts
        of={[
          ['Will be asked', grouped(plan.to_buy)],
          ...askedApart(plan).map(({ operation, rows }) => [whatWords(operation), grouped(rows)] as const),
          ['Known already', some(plan.bought_before, ', free')],
          ['Twice on the list', some(plan.duplicates, ', free')],
          [isFill(scene.job) ? 'Filled already' : 'Left out', some(plan.skipped, ', free')],
          ['An answer is on its way', some(plan.accepted)],
          ['In doubt', some(plan.in_doubt)],
        ]}
      />
      {reasons.length > 0 && (
        <details>
          <summary class="warn">{needWords(plan.invalid)}</summary>
          <Needs reasons={reasons} which={(reason) => <RowLinks {...reason} opened={scene.opened} />} />
        </details>
      )}
    </>
  );
}

/** What it costs at most and probably. */
export function Cost({ scene, plan: { credits, cost, seconds, to_buy: asked } }: OfPlan) {
  const probably = [
    // What a try promises stands above.
    credits.expected === credits.most || scene.tried ? '' : `most likely ${grouped(credits.expected)}`,
    seconds === null || asked === 0 ? '' : `about ${duration(seconds)}`,
  ];
  return (
    <p aria-busy={scene.planned.waits}>
      <b class="big">{grouped(credits.most)}</b> {credits.most === 1 ? 'credit' : 'credits'} at most
      {cost && `, ${money(cost.most)}`}
      <br />
      <span class="soft">{probably.filter(Boolean).join(' · ')}</span>
    </p>
  );
}

/** What would be done to a team, in the place of a price. */
export function Changes({ plan: { changes = [], people = 0, invalid } }: Pick<OfPlan, 'plan'>) {
  const sent = changes.filter(isSent);
  const needed = invalid > 0 && `, and ${needWords(invalid)}`;
  if (sent.length === 0) return <p>There is nothing to change{needed}.</p>;
  const invites = sent.filter(({ calls }) => calls?.some(isInvite)).length;
  const withAction = (action: string): number => sent.filter((change) => change.action === action).length;
  return (
    <>
      <Facts
        of={[
          ['Invites', `${grouped(invites)} by e-mail`],
          ['Roles changed', grouped(withAction('change_role'))],
          ['Removed', `${grouped(withAction('remove'))} of ${grouped(people)} known`],
        ]}
      />
      <p class="soft">
        Can be undone later, but for the mails: who is removed has to be invited again; new projects stay.
      </p>
    </>
  );
}

/** What a start does that she has to know first, and agrees to on purpose. */
export function Agreements({ scene, plan }: OfPlan) {
  const { to_agree: question } = plan;
  const { value: agreed } = scene.agreed;
  const agree = (more: Agreed): void => {
    scene.agreed.value = { ...agreed, ...more };
  };
  const losing = losingIn(plan);
  const again = againIn(plan);
  return (
    <>
      <Guards scene={scene} plan={plan} />
      {losing && (
        <Stop says={losing.fact}>
          <Field
            says={`To agree, type ${losing.phrase}`}
            value={typedFor(losing, agreed)}
            onInput={({ currentTarget: { value: words } }) =>
              agree({ typed: { about: losing.about, words } })
            }
          />
        </Stop>
      )}
      {question && agreed.accept !== question.agreement && (
        <Stop says="What is sent to the vendor stands in a file, which another person may have written.">
          <Fold title="Show what is sent">
            <Sentences of={question.details} />
          </Fold>
          <Button look="go" says="Allow it" onClick={() => agree({ accept: question.agreement })} />
        </Stop>
      )}
      {question === undefined && (plan.set_aside || agreed.asksAside) && (
        <Stop says="Some rows have the website of several companies, so it is probably none of theirs.">
          <Checkbox
            says="Ask them all the same"
            checked={agreed.asksAside ?? false}
            onCheck={(asksAside) => agree({ asksAside })}
          />
        </Stop>
      )}
      {again && (
        <Stop says={again.says}>
          <Checkbox
            says={`Look at it again, for ${counted(again.most, 'credit')} at most`}
            checked={agreed.yes ?? false}
            onCheck={(yes) => agree({ yes })}
          />
        </Stop>
      )}
    </>
  );
}

/** The rows that are bought again after a yes alone; undefined where there are none. */
function againIn({ reread, unanswered, asked_otherwise: otherwise }: PlanObject) {
  const { rows = 0, most = (unanswered?.credits ?? 0) + (otherwise?.credits ?? 0) } = reread ?? {};
  const asked = reread ? (reread.asked_otherwise ?? 0) : (otherwise?.rows ?? 0);
  const answered = reread ? rows - asked : (unanswered?.rows ?? 0);
  if (asked + answered === 0) return undefined;
  const says = [
    answered > 0 && `What was answered about ${counted(answered, 'row')} counts otherwise today.`,
    asked > 0 && `${counted(asked, 'row is', 'rows are')} asked by another address or name than before.`,
  ];
  return { most, says: says.filter(Boolean).join(' ') };
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
