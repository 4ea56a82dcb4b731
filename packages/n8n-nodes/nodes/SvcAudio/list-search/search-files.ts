import { FILES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { matches } from './matches.ts'

/** Pages of a list that a search looks through at most: the interface ends a list of files there too. */
const MOST_FILES = 100_000

/**
 * Files whose name or id contains the filter. Without a filter, one page of the service at a time. With one, all pages:
 * the service does not search.
 */
export async function searchFiles(
  context: ILoadOptionsFunctions,
  filter = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const { audio } = await createAudioClient(context)
  const results: { name: string; value: string }[] = []
  let offset = Number(paginationToken ?? 0)
  for (;;) {
    const { data } = await audio.files.list({ limit: FILES_LIMIT_MAX, offset })
    const found = data.filter(({ id, filename }) => matches(filter, filename, id))
    results.push(...found.map(({ id, filename }) => ({ name: filename === '' ? id : filename, value: id })))
    offset += data.length
    if (data.length < FILES_LIMIT_MAX || offset > MOST_FILES) return { results }
    if (filter.trim() === '') return { results, paginationToken: String(offset) }
  }
}
