import type { AgreementView } from '../../api.ts';
import { RefusedNotice } from '../loaded.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';
import { Button } from './controls.tsx';

interface AgreeProps {
  readonly plan: string;
  readonly toAgree: AgreementView;
  readonly onAgreed: () => void;
}

/** What a dialect sends, and the button that agrees to just that, once. */
export function Agree({ plan, toAgree: { agreement, fact, details }, onAgreed }: AgreeProps) {
  const { agree: words } = text;
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
      <p>{words.dialect}</p>
      <RefusedNotice refused={action.refused.value} />
      <div class="actions">
        <Button disabled={action.isBusy.value} onClick={agree} says={words.meant} />
      </div>
    </div>
  );
}
