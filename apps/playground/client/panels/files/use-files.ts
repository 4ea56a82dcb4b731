import type { StoredFile } from '@svc-audio/core/pure'
import { useCallback, useState } from 'react'
import { type Job, useJob } from '../../lib/use-job.ts'
import { type Loaded, useLoaded } from '../../lib/use-loaded.ts'
import { usePanel } from '../../shell/panel-context.ts'

/** Files on one page of the list. */
export const PAGE_SIZE = 20

/** One page of the list. */
export interface FilePage {
  readonly files: readonly StoredFile[]
  /** Whether another page follows. */
  readonly more: boolean
}

/** The stored files, and what can be done with them. */
export interface FilesControl extends Pick<Job, 'failure' | 'status' | 'stop'> {
  readonly page: Loaded<FilePage>
  readonly offset: number
  readonly turn: (offset: number) => void
  /** The file that is being uploaded. */
  readonly uploading: File | undefined
  readonly upload: (file: File) => void
  readonly remove: (file: StoredFile) => void
}

/** Controls the stored files. */
export function useFiles(): FilesControl {
  const { client } = usePanel()
  const [offset, setOffset] = useState(0)
  const [file, setFile] = useState<File>()
  const { busy, failure, fail, clear, status, say, run, stop } = useJob()
  const page = useLoaded(
    useCallback(
      async (signal: AbortSignal): Promise<FilePage> => {
        // One more than a page tells whether another page follows.
        const { data } = await client.files.list({ limit: PAGE_SIZE + 1, offset }, { signal })
        return { files: data.slice(0, PAGE_SIZE), more: data.length > PAGE_SIZE }
      },
      [client, offset],
    ),
  )
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
  const actions = { turn: setOffset, upload, stop, remove: (stored: StoredFile) => void remove(stored) }
  return { page, offset, uploading, status, failure, ...actions }
}
