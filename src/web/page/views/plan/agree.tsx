import type { PlanView } from '../../../api.ts';
import { Refusal } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { ask } from '../../session.ts';
import { text } from '../../text.ts';

/** What the dialect of the account sends otherwise than the built-in one, and the button that agrees to just that, once. */
export function Agree({
  plan,
  toAgree: { agreement, fact, details },
  onAgreed,
}: {
  /** The id of the plan that shows it. */
  readonly plan: string;
  readonly toAgree: NonNullable<PlanView['to_agree']>;
  readonly onAgreed: () => void;
}) {
  const { plan: words } = text;
  const action = useAction();
  const agree = (): void =>
    action.run(async () => {
      await ask('/agreements', { body: { plan, agreement } });
      onAgreed();
    });
  return (
    <div class="notice stack">
      <p>
        <strong>{fact}:</strong>
      </p>
      <ul>
        {details.map((detail) => (
          <li key={detail}>
            <code>{detail}</code>
          </li>
        ))}
      </ul>
      <p>{words.toAgree}</p>
      <Refusal refused={action.refused.value} />
      <div class="actions">
        <button type="button" disabled={action.isBusy.value} onClick={agree}>
          {words.agree}
        </button>
      </div>
    </div>
  );
}
