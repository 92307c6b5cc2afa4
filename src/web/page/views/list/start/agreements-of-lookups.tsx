import { Button, Checkbox, Folded, Notice, Sentences } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import type { Agreed, OfPlan } from '../scene.ts';
import { againIn } from './agreed.ts';

/** What a start sends or buys again that she has to know first, and agrees to on purpose. */
export function Agreements({ scene, plan }: OfPlan) {
  const { to_agree: question } = plan;
  const { value: agreed } = scene.agreed;
  const agree = (more: Agreed): void => {
    scene.agreed.value = { ...agreed, ...more };
  };
  const again = againIn(plan);
  return (
    <>
      {question && agreed.accept !== question.agreement && (
        <Notice says="What is sent to the vendor stands in a file, which another person may have written.">
          <Folded says="Show what is sent">{() => <Sentences of={question.details} />}</Folded>
          <Button says="Allow it" onClick={() => agree({ accept: question.agreement })} />
        </Notice>
      )}
      {question === undefined && (plan.set_aside || agreed.asksAside) && (
        <Notice says="Some rows have the website of several companies, so it is probably none of theirs.">
          <Checkbox
            says="Ask them all the same"
            checked={agreed.asksAside ?? false}
            onCheck={(asksAside) => agree({ asksAside })}
          />
        </Notice>
      )}
      {again && (
        <Notice says={again.says}>
          <Checkbox
            says={`Look at it again, for ${counted(again.most, 'credit')} at most`}
            checked={agreed.yes ?? false}
            onCheck={(yes) => agree({ yes })}
          />
        </Notice>
      )}
    </>
  );
}
