import type { AgreementRequest, AgreementView } from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { ask, type Refused } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';

/** What a dialect sends, or what a package is, and the button that agrees to just that, once. */
export function Agree({
  of,
  toAgree: { agreement, fact, details },
  onAgreed,
}: {
  /** The plan or the list that shows it. */
  readonly of: Distributed<AgreementRequest>;
  readonly toAgree: AgreementView;
  readonly onAgreed: () => void;
}) {
  const { agree: words } = text;
  const { [agreement.replace(/:.*/, '') as keyof typeof words]: why = words.dialect } = words;
  const action = useAction();
  const agree = (): void =>
    action.run(async () => {
      await ask('/agreements', { body: { ...of, agreement } });
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
      <p>{why}</p>
      <Refusal refused={action.refused.value} />
      <div class="actions">
        <button type="button" disabled={action.isBusy.value} onClick={agree}>
          {words.meant}
        </button>
      </div>
    </div>
  );
}

/** A plan that was refused, or the question to which a yes is missing. */
export function RefusedPlan({
  list,
  refused,
  onAgreed,
}: {
  readonly list: string;
  readonly refused: Refused | undefined;
  readonly onAgreed: () => void;
}) {
  const toAgree = refused?.toAgree;
  if (toAgree === undefined) return <Refusal refused={refused} />;
  return <Agree key={toAgree.agreement} of={{ list }} {...{ toAgree, onAgreed }} />;
}

type Distributed<Request> = Request extends unknown ? Omit<Request, 'agreement'> : never;
