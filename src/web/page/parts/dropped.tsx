import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go, path } from '../router.ts';
import { text } from '../text.ts';

/** A file may be dropped on any view. It is brought by the view of new lists, which takes it from here. */

export const dropped = signal<File | undefined>(undefined);

export const isOver = signal(false);

/** Cells that were typed and not saved would be lost by a drop elsewhere. */
const hasUnsaved = (): boolean => {
  const leaving = new Event('beforeunload', { cancelable: true });
  return !dispatchEvent(leaving);
};

function isFile({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

function takeDrop(event: DragEvent): void {
  const file = event.dataTransfer?.files[0];
  event.preventDefault();
  isOver.value = false;
  if (file === undefined || hasUnsaved()) return;
  dropped.value = file;
  if (path.value !== '/new') go('/new');
}

export function DropAnywhere() {
  useEffect(() => {
    const leaving = new AbortController();
    const { signal: until } = leaving;
    const over = (event: DragEvent): void => {
      event.preventDefault();
      if (isFile(event)) isOver.value = true;
    };
    const left = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) isOver.value = false;
    };
    document.addEventListener('dragover', over, { signal: until });
    document.addEventListener('dragleave', left, { signal: until });
    document.addEventListener('drop', takeDrop, { signal: until });
    return () => leaving.abort();
  }, []);
  if (!isOver.value || path.value === '/new') return null;
  return (
    <div class="drop-here" role="status">
      {text.bring.dropAnywhere}
    </div>
  );
}
