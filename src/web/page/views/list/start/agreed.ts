import type { PlanObject } from '../../../../api.ts';
import { counted, needWords } from '../../../parts/figures.ts';
import type { Agreed, Scene } from '../scene.ts';
import { isMaking, isSent, losingIn } from '../team.ts';

/** The rows that are bought again after a yes alone; undefined where there are none. */
export function againIn({ reread, unanswered, asked_otherwise: otherwise }: PlanObject) {
  const { rows = 0, most = (unanswered?.credits ?? 0) + (otherwise?.credits ?? 0) } = reread ?? {};
  const askedOtherwise = reread ? (reread.asked_otherwise ?? 0) : (otherwise?.rows ?? 0);
  const answered = reread ? rows - askedOtherwise : (unanswered?.rows ?? 0);
  if (askedOtherwise + answered === 0) return undefined;
  const says = [
    answered > 0 && `What was answered about ${counted(answered, 'row')} counts otherwise today.`,
    askedOtherwise > 0 &&
      `${counted(askedOtherwise, 'row is', 'rows are')} asked by another address or name than before.`,
  ];
  return { most, says: says.filter(Boolean).join(' ') };
}

type OfAgreed = Pick<Scene, 'agreed' | 'list'>;

/** Why nothing can be started as the list is, or be undone; undefined where she may. */
export function whyNot(scene: OfAgreed, plan: Partial<PlanObject>): string | undefined {
  const openAgreements = waitsFor(scene, plan);
  const answers =
    openAgreements.length === 1
      ? 'one answer'
      : `${NUMBERS[openAgreements.length] ?? openAgreements.length} answers`;
  return (
    nothingSent(plan) ??
    (openAgreements.length > 0 ? `Waits for ${answers}: ${openAgreements.join('; ')}` : undefined)
  );
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four'];

/** What she still has to agree to before a start, each in a few words. */
function waitsFor(scene: OfAgreed, plan: Partial<PlanObject>): readonly string[] {
  const { value: agreed } = scene.agreed;
  const { to_agree: question, reread, guards = [] } = plan;
  const untyped = untypedIn(plan, agreed);
  const isAccepted = question === undefined || agreed.accept === question.agreement;
  return [
    ...(plan.default_project ? ['which column is the project'] : []),
    ...holdsFor(scene, plan).map((name) => `is “${name}” a new project`),
    ...guards.filter((guard) => !isAllowed(scene, guard)).map(({ says }) => says),
    ...(untyped ? [untyped] : []),
    ...(isAccepted ? [] : ['what is sent to the vendor']),
    ...(reread === undefined || agreed.yes === true ? [] : ['rows that are looked at again']),
  ];
}

/** Why no change of a team can be sent; undefined where some can, or where all is as the list says. */
export function nothingSent({ changes, invalid, unknown }: Partial<PlanObject>): string | undefined {
  if (changes === undefined || !invalid || changes.some(isSent)) return undefined;
  const { length: projects } = unknown?.projects ?? [];
  if (projects === 0) return `Nothing can be sent: ${needWords(invalid)}`;
  return `Nothing can be sent: ${counted(projects, 'project is', 'projects are')} not known`;
}

/** `3 lose access, type 3`, until she has; undefined where nobody does. */
function untypedIn(plan: Pick<PlanObject, 'changes'>, agreed: Agreed): string | undefined {
  const losing = losingIn(plan);
  if (losing === undefined) return undefined;
  const isTyped = typedFor(losing, agreed).trim().toLowerCase() === losing.phrase.toLowerCase();
  return isTyped ? undefined : `${losing.says}, type ${losing.phrase}`;
}

/** What she has typed about other people is no agreement. */
export const typedFor = ({ about }: { readonly about: string }, { typed }: Agreed): string =>
  typed?.about === about ? typed.words : '';

export type Guard = NonNullable<PlanObject['guards']>[number];

/** Of whom a guard speaks: other people, another project or version of the list are another question. */
export const aboutGuard = ({ list }: Pick<Scene, 'list'>, { says, who }: Guard): string =>
  JSON.stringify([list?.at, says, who]);

/** The same of a project that would be made, whose name is nearly that of another one. */
export const aboutName = ({ list }: Pick<Scene, 'list'>, name: string): string =>
  JSON.stringify([list?.at, 'new project', name]);

/** Projects that are not made before she has said that they are new: nobody can delete them again. */
export function holdsFor({ list, agreed }: OfAgreed, plan?: Partial<PlanObject>) {
  const { changes = [], unknown: { misspelled = [] } = {} } = plan ?? {};
  const isMade = (name: string): boolean => changes.some((each) => isMaking(each) && each.project === name);
  const isSaid = (name: string) => agreed.value.allowed?.includes(aboutName({ list }, name)) === true;
  return misspelled.map(({ name }) => name).filter((name) => isMade(name) && !isSaid(name));
}

export const isAllowed = (scene: OfAgreed, guard: Guard): boolean =>
  scene.agreed.value.allowed?.includes(aboutGuard(scene, guard)) === true;

/** Whether a start does something to people that is asked about, or was agreed to. */
export const asksOfPeople = (plan: PlanObject): boolean =>
  [plan.guards?.length, losingIn(plan)].some(Boolean);

/** Whether it sends or buys something again that is asked about, or was agreed to. */
export const asksOfRows = ({ agreed: { value: agreed } }: Scene, plan: PlanObject): boolean =>
  [plan.to_agree, plan.set_aside, againIn(plan), agreed.asksAside].some(Boolean);
