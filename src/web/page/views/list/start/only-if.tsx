import { conditionsIn, conditionWords } from '../conditions.ts';
import { conditionsOf, type OfScene } from '../scene.ts';

/** Beside a start: which rows it is for, whatever the table shows now. */
export function OnlyIf({ scene }: OfScene) {
  const { job } = scene;
  const writtenConditions = conditionsOf(job);
  const conditions = conditionsIn(writtenConditions);
  if (conditions.length === 0) return null;
  const away = async (name: string): Promise<void> => {
    const { jobWith, withoutCondition } = await import('../conditions-changed.ts');
    scene.choose(jobWith(job, withoutCondition(writtenConditions, name)));
  };
  return (
    <div class="field">
      <span>{scene.teamPlanned === undefined ? 'Looks up only if' : 'Only people whose'}</span>
      <div class="bar">
        {conditions.map((condition) => (
          <button
            key={condition.column}
            type="button"
            class="chip"
            aria-pressed
            aria-label={`Look up also the others: ${conditionWords(condition)}`}
            onClick={() => away(condition.column)}
          >
            {conditionWords(condition)} ✕
          </button>
        ))}
      </div>
    </div>
  );
}
