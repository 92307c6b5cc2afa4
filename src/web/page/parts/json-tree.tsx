import { useSignal } from '@preact/signals';
import { text } from '../text.ts';
import { grouped } from './figures.ts';
import { ForeignText } from './row-words.tsx';

/** An answer as the vendor gave it: folded like a tree where it is JSON, else as it is. */
export function RawAnswer({ body }: { readonly body: string }) {
  if (body === '') return <p class="muted">{text.row.noBody}</p>;
  const value = parsed(body);
  return (
    <div class="raw">
      <Copy body={value === undefined ? body : JSON.stringify(value, null, 2)} />
      {value === undefined ? <pre>{body}</pre> : <Branch value={value} name={undefined} depth={0} />}
    </div>
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function Copy({ body }: { readonly body: string }) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(body);
    isCopied.value = true;
  };
  return (
    <button type="button" class="plain copy" onClick={copy}>
      <span aria-live="polite">{isCopied.value ? text.row.copied : text.row.copy}</span>
    </button>
  );
}

interface Part {
  readonly value: unknown;
  /** Undefined for the whole. */
  readonly name: string | undefined;
  readonly depth: number;
}

/** Deeper, a branch begins folded. */
const DEPTH_OPEN = 2;

/** A list of thousands would fill the page and hold it up, so more of it is shown on request. */
const MEMBERS_AT_ONCE = 100;

function Branch({ value, name, depth }: Part) {
  const most = useSignal(MEMBERS_AT_ONCE);
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
  const members = Object.entries(value);
  const rest = members.length - most.value;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return (
    <details class="branch" open={depth < DEPTH_OPEN}>
      <summary>
        {name !== undefined && <span class="key">{name}</span>} {open}
        <span class="muted">{grouped(members.length)}</span>
        {close}
      </summary>
      <ul>
        {members.slice(0, most.value).map(([key, member]) => (
          <li key={key}>
            <Branch value={member} name={key} depth={depth + 1} />
          </li>
        ))}
        {rest > 0 && (
          <li>
            <button type="button" class="plain" onClick={() => (most.value += MEMBERS_AT_ONCE)}>
              {text.row.more(grouped(rest))}
            </button>
          </li>
        )}
      </ul>
    </details>
  );
}

function Leaf({ name, value }: Omit<Part, 'depth'>) {
  const kind = value === null ? 'null' : typeof value;
  return (
    <span class="leaf">
      {name !== undefined && <span class="key">{name}</span>}{' '}
      <span class={`is-${kind}`}>
        {typeof value === 'string' ? <ForeignText value={value} /> : String(value)}
      </span>
    </span>
  );
}
