import { Button } from '../../parts/controls.tsx';
import { type Accounts, afresh, isFill, jobFor, type Step, stepsOf, stepWith, withSteps } from './choice.ts';
import { filling } from './fills.tsx';
import { isTeam, type Scene } from './scene.ts';

const FOUND = [
  { operation: 'enrich-company', says: 'Find companies' },
  { operation: 'enrich-person', says: 'Find people' },
];

interface WhatProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

/** The question with which every list begins. Companies and people may both be found by one list. */
export function What({ scene, accounts }: WhatProps) {
  const { job } = scene;
  const isFound = !isFill(job) && !isTeam(scene);
  const steps = isFound ? stepsOf(job) : [];
  const isOn = (operation: string): boolean => steps.some((step) => step.operation === operation);
  const find = (operation: string): void => {
    const others = steps.filter((step) => step.operation !== operation);
    const wanted = isOn(operation) ? others : [...others, stepWith(accounts, operation, others)];
    scene.choose(withSteps(afresh(job), inOrder(wanted), false));
  };
  const fill = (): void => {
    const step = filling(scene, stepWith(accounts, 'find-email'));
    scene.choose(withSteps(afresh(job), [step], true));
  };
  const invite = (): void => scene.choose(jobFor(job, accounts, ['onboard']));
  const pill = (says: string, isChosen: boolean, choose: () => void) => (
    <Button
      look="pill"
      says={says}
      aria-pressed={isChosen}
      disabled={accounts.length === 0}
      onClick={choose}
    />
  );
  return (
    <>
      <h2>What shall be done?</h2>
      <p class="row">
        {FOUND.map(({ operation, says }) => pill(says, isOn(operation), () => find(operation)))}
        {pill('Fill blanks', isFill(job), fill)}
        {pill('Invite a team', isTeam(scene), invite)}
      </p>
    </>
  );
}

const inOrder = (steps: readonly Step[]): readonly Step[] =>
  steps.toSorted((one, other) => (one.operation < other.operation ? -1 : 1));
