import type { ListJobChoice, PlanObject } from '../../../api.ts';
import { Checkbox } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import type { Agreed, Scene } from './scene.ts';
import { isSent, whoIs } from './team-words.ts';

/** What she allows on purpose before people lose what they have. */

interface PlanProps {
  readonly scene: Scene;
  readonly plan: PlanObject;
}

/** What goes further than the limits, each with its tick. */
export function Guards({ scene: { job, choose }, plan: { guards = [] } }: PlanProps) {
  return guards.map(({ fact, allow, allows = {} }) => {
    const names = Object.keys(allows) as (keyof NonNullable<ListJobChoice['guards']>)[];
    const isAllowed = names.every((name) => String(job.guards?.[name]) === String(allows[name]));
    return (
      <div class="need" key={fact}>
        <p>
          <b>This would {fact}.</b>
        </p>
        {names.length === 0 ? (
          <p>Nothing allows that: {allow}.</p>
        ) : (
          <Checkbox
            says="Allow it"
            checked={isAllowed}
            onCheck={() => choose({ ...job, guards: { ...job.guards, ...allows } })}
          />
        )}
      </div>
    );
  });
}

/** The field in which she types who loses access. */
export function Losing({ scene: { agreed }, plan }: PlanProps) {
  const losing = losingIn(plan);
  if (losing === undefined) return null;
  const { fact, phrase, about } = losing;
  return (
    <label class="need field">
      <b>{fact}</b>
      <span>
        To agree, type <em>{phrase}</em>
      </span>
      <input
        value={wordsAbout(agreed.value, about)}
        onInput={({ currentTarget: { value: words } }) => {
          agreed.value = { ...agreed.value, typed: { about, words } };
        }}
      />
    </label>
  );
}

export function isTyped(agreed: Agreed, plan: PlanObject): boolean {
  const losing = losingIn(plan);
  if (losing === undefined) return true;
  return wordsAbout(agreed, losing.about).trim().toLowerCase() === losing.phrase.toLowerCase();
}

/** What she has typed about other people is no agreement. */
const wordsAbout = ({ typed }: Agreed, about: string): string => (typed?.about === about ? typed.words : '');

/** What she has to type; undefined where nobody loses anything. */
function losingIn({ changes = [] }: PlanObject) {
  const sent = changes.filter(isSent);
  const removed = sent.filter(({ action }) => action === 'remove');
  const admins = sent.filter(({ from, to }) => from === 'admin' && to !== 'admin');
  const lose = [...new Set([...removed, ...admins])];
  const [first] = lose;
  if (first === undefined) return undefined;
  const lost = [
    ...(removed.length > 0 ? [`${counted(removed.length, 'person loses', 'people lose')} access.`] : []),
    ...(admins.length > 0 ? [`${counted(admins.length, 'admin is', 'admins are')} admin no more.`] : []),
  ];
  const many = removed.length > 0 ? `remove ${removed.length} people` : `change ${admins.length} admins`;
  return {
    fact: lost.join(' '),
    phrase: lose.length === 1 ? whoIs(first) : many,
    about: lose.map((each) => `${whoIs(each)} in ${each.project}`).join(),
  };
}
