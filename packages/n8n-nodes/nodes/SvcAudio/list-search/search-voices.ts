import { VOICES_LIMIT_MAX } from '@svc-audio/core'
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { matches } from './matches.ts'

/**
 * Voices whose name or id holds the filter, one page of the service at a time. Pages without any are passed over: n8n
 * asks for the next one only when there is something to scroll.
 */
export async function searchVoices(
  context: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const client = await createAudioClient(context)
  for (let after = paginationToken; ;) {
    const page = await client.voices.list({ limit: VOICES_LIMIT_MAX, ...(after === undefined ? {} : { after }) })
    const results = page.data
      .map(({ id, name }): INodeListSearchItems => ({ name: name === '' ? id : name, value: id }))
      .filter(({ name, value }) => matches(filter, name, String(value)))
    after = page.next_cursor
    if (after === undefined) return { results }
    if (results.length > 0) return { results, paginationToken: after }
  }
}
