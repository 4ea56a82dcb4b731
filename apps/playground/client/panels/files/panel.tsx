import type { StoredFile } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { FileDrop } from '../../components/audio-input.tsx'
import { Button, CopyButton, Icon, IconButton } from '../../components/button.tsx'
import { useConfirm } from '../../components/dialog.tsx'
import { type Column, Table } from '../../components/lists.tsx'
import { Empty, FailureBox, LoadedState, StatusLine, UploadProgress } from '../../components/states.tsx'
import { useJob, useLoaded } from '../../lib/calls.ts'
import { formatBytes, formatTime } from '../../lib/format.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { filesSnippets } from './snippets.ts'
import { Link, pathOf } from '../../shell/router.tsx'

/** The stored files of the account. */
export function Panel(): ReactElement {
  const { log } = usePanel()
  const files = useFiles()
  const { page, uploading, upload, stop } = files
  const confirm = useConfirm()
  const ask = (file: StoredFile): void =>
    confirm.ask({
      title: `Delete ${file.filename}?`,
      text: 'The service deletes its bytes. Transcripts that were made from it stay.',
      action: 'Delete',
      onConfirm: () => void files.remove(file),
    })
  return (
    <PanelFrame
      title="Files"
      about="Store a recording once, then transcribe it by its id as often as you like."
      code={filesSnippets}
    >
      {uploading === undefined ? (
        <FileDrop title="Drop a recording here" label="File to store" onFile={upload} />
      ) : (
        <div className="card row wraps between">
          <UploadProgress log={log} name={uploading.name} size={uploading.size} next={`Storing ${uploading.name}`} />
          <Button icon="stop" look="small" onClick={stop}>
            Stop
          </Button>
        </div>
      )}
      <FailureBox failure={files.failure} />
      <StatusLine text={files.status} />
      <LoadedState loaded={page} what="the files" />
      {page.data?.files.length === 0 && files.offset === 0 && (
        <Empty icon="files" title="No files yet">
          What you store here can be used by every program with your key.
        </Empty>
      )}
      {page.data !== undefined && page.data.files.length > 0 && (
        <Table label="Stored files" columns={columns(ask)} rows={page.data.files} keyOf={({ id }) => id} />
      )}
      <Pages files={files} />
      {confirm.dialog}
    </PanelFrame>
  )
}

function columns(ask: (file: StoredFile) => void): readonly Column<StoredFile>[] {
  return [
    { title: 'Name', cell: ({ filename }) => <span className="breaks">{filename}</span> },
    { title: 'Size', numeric: true, cell: ({ bytes }) => formatBytes(bytes) },
    { title: 'Stored', wide: true, cell: ({ created_at }) => formatTime(created_at) },
    {
      title: 'Id',
      wide: true,
      cell: ({ id, filename }) => (
        <span className="row gap-2 slim">
          <code className="short">{id}</code>
          <CopyButton text={id} what={`the id of ${filename}`} />
        </span>
      ),
    },
    {
      title: 'Actions',
      cell: (file) => (
        <span className="row gap-2 slim">
          <Link
            href={pathOf('transcribe', { file_id: file.id, name: file.filename })}
            className="button button-small"
            aria-label={`Transcribe ${file.filename}`}
          >
            <Icon name="transcribe" />
            <span className="wide-only">Transcribe</span>
          </Link>
          <IconButton icon="trash" label={`Delete ${file.filename}`} onClick={() => ask(file)} />
        </span>
      ),
    },
  ]
}

function Pages({
  files: { page, offset, turn },
}: {
  readonly files: ReturnType<typeof useFiles>
}): ReactElement | undefined {
  if (offset === 0 && page.data?.more !== true) return undefined
  return (
    <nav className="row between" aria-label="Pages of files">
      <Button look="small" disabled={offset === 0} onClick={() => turn(Math.max(0, offset - PAGE_SIZE))}>
        Newer
      </Button>
      <span className="hint">
        {offset + 1} to {offset + (page.data?.files.length ?? 0)}
      </span>
      <Button look="small" disabled={page.data?.more !== true} onClick={() => turn(offset + PAGE_SIZE)}>
        Older
      </Button>
    </nav>
  )
}

/** Files on one page of the list. */
const PAGE_SIZE = 20

/** Controls the stored files. */
function useFiles() {
  const { client } = usePanel()
  const [offset, setOffset] = useState(0)
  const [file, setFile] = useState<File>()
  const { busy, failure, fail, clear, status, say, run, stop } = useJob()
  const page = useLoaded(async (signal) => {
    // One more than a page tells whether another page follows.
    const { data } = await client.files.list({ limit: PAGE_SIZE + 1, offset }, { signal })
    return { files: data.slice(0, PAGE_SIZE), more: data.length > PAGE_SIZE }
  }, offset)
  const upload = (chosen: File): void => {
    setFile(chosen)
    run(async (signal) => {
      const stored = await client.files.create({ file: chosen, purpose: 'audio' }, { signal })
      setOffset(0)
      page.reload()
      return `Stored ${stored.filename}.`
    }, chosen.name)
  }
  const remove = async ({ id, filename }: StoredFile): Promise<void> => {
    clear()
    try {
      await client.files.delete(id)
      say(`Deleted ${filename}.`)
      // A page without files is no page.
      if (page.data?.files.length === 1 && offset > 0) setOffset(offset - PAGE_SIZE)
      else page.reload()
    } catch (error) {
      fail(error, filename)
    }
  }
  const uploading = busy ? file : undefined
  return { page, offset, turn: setOffset, uploading, upload, remove, stop, status, failure }
}
