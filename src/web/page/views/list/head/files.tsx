import type { BatchStatusObject, ListAdded } from '../../../../api.ts';
import { Act, lazyPart } from '../../../parts/asking.tsx';
import { ButtonLink, Popover } from '../../../parts/controls.tsx';
import { ask, downloadFile } from '../../../session.ts';
import type { OfScene } from '../scene.ts';

const Downloads = lazyPart(async () => (await import('./download.tsx')).Downloads);

interface FilesProps extends OfScene {
  readonly batch: BatchStatusObject;
}

/** Her list with the answers, in her form or another one, and its report. */
export function Files({ scene, batch }: FilesProps) {
  const isOver = batch.state !== 'open' && !scene.isPlanning.value;
  return (
    <>
      {isOver && scene.list === undefined && scene.now === undefined && (
        <Act
          look="quiet"
          says="Add to my lists"
          title="There it can be corrected, renamed and deleted; what was found is free"
          does={async () => {
            const { list } = await ask<ListAdded>(`/batches/${batch.batch}/list`, { method: 'POST' });
            location.href = `/lists/${list}`;
          }}
        />
      )}
      <ButtonLink to={`/reports/${batch.batch}`} look="quiet" says="Report" />
      <Popover name="Download as" says="Download as ▾" look="quiet">
        {(close) => <Downloads scene={scene} batch={batch} close={close} />}
      </Popover>
      <Act
        look={isOver ? 'go' : undefined}
        says="Download"
        title="The whole list, in the form of your own file"
        does={() => downloadFile(`/batches/${batch.batch}/files/output`)}
      />
    </>
  );
}
