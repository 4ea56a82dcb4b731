import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { Voice } from '@svc-audio/core'
import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { matches } from './matches.ts'

/**
 * Voices whose name or id contains the filter. Without a filter, one page of the service at a time: n8n asks for the next
 * one when the user scrolls. With one, all pages: the service does not search, and n8n scrolls only what it has.
 */
export async function searchVoices(
  context: ILoadOptionsFunctions,
  filter = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const { audio } = await createAudioClient(context)
  if (filter.trim() === '') {
    const after = paginationToken === undefined ? {} : { after: paginationToken }
    const { data, next_cursor: next } = await audio.voices.list({ limit: VOICES_LIMIT_MAX, ...after })
    return { results: data.map(entryOf), ...(next === undefined ? {} : { paginationToken: next }) }
  }
  const results: INodePropertyOptions[] = []
  for await (const voice of audio.voices.list({ limit: VOICES_LIMIT_MAX })) {
    if (matches(filter, voice.name, voice.id)) results.push(entryOf(voice))
  }
  return { results }
}

/** All voices, for lists that n8n searches itself. */
export async function getVoices(context: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { audio } = await createAudioClient(context)
  const voices: INodePropertyOptions[] = []
  for await (const voice of audio.voices.list({ limit: VOICES_LIMIT_MAX })) voices.push(entryOf(voice))
  return voices
}

function entryOf({ id, name }: Voice): { name: string; value: string } {
  return { name: name === '' ? id : name, value: id }
}
