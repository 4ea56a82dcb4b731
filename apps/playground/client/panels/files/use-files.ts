import type { StoredFile } from '@svc-audio/core/pure'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useFailure, type FailureControl } from '../../lib/use-failure.ts'
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
export interface FilesControl extends Pick<FailureControl, 'failure'> {
  readonly page: Loaded<FilePage>
  readonly offset: number
  readonly turn: (offset: number) => void
  /** The file that is being uploaded. */
  readonly uploading: File | undefined
  readonly upload: (file: File) => void
  /** Aborts the upload. */
  readonly stop: () => void
  readonly remove: (file: StoredFile) => void
  /** What happened last, for screen readers. */
  readonly status: string
}

/** Controls the stored files. */
export function useFiles(): FilesControl {
  const { client } = usePanel()
  const [offset, setOffset] = useState(0)
  const [uploading, setUploading] = useState<File>()
  const [status, setStatus] = useState('')
  const { failure, fail, clear } = useFailure()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
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
  const upload = async (file: File): Promise<void> => {
    const { signal } = (controller.current = new AbortController())
    clear()
    setUploading(file)
    try {
      const stored = await client.files.create({ file, purpose: 'audio' }, { signal })
      setStatus(`Stored ${stored.filename}.`)
      setOffset(0)
      page.reload()
    } catch (error) {
      if (signal.aborted) setStatus('Stopped.')
      else fail(error, file.name)
    } finally {
      setUploading(undefined)
    }
  }
  const remove = async (file: StoredFile): Promise<void> => {
    clear()
    try {
      await client.files.delete(file.id)
      setStatus(`Deleted ${file.filename}.`)
      // A page without files is no page.
      if (page.data?.files.length === 1 && offset > 0) setOffset(offset - PAGE_SIZE)
      else page.reload()
    } catch (error) {
      fail(error, file.filename)
    }
  }
  return {
    page,
    offset,
    turn: setOffset,
    uploading,
    upload: (file) => void upload(file),
    stop: () => controller.current?.abort(),
    remove: (file) => void remove(file),
    status,
    failure,
  }
}
