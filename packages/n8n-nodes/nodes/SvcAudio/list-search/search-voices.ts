import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { Voice } from '@svc-audio/core'
import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { matches } from './matches.ts'

/**
 * Voices whose name, language, gender or id contains the filter. Without a filter, one page of the service at a time: n8n asks for the next
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
    const entry = entryOf(voice)
    if (matches(filter, entry.name, voice.id)) results.push(entry)
  }
  return { results }
}

/**
 * The name with the language and the gender, where the service tells them and the name does not: the list shows nothing
 * but names.
 */
function entryOf({ id, name, language, languages = [], gender }: Voice): { name: string; value: string } {
  const tags = languages.length > 0 ? languages : language === undefined ? [] : [language]
  const own = name === '' ? id : name
  const words = new Set(own.toLowerCase().split(/\W+/))
  const facts = [...tags, ...(gender === undefined ? [] : [gender])].filter((fact) => !words.has(fact.toLowerCase()))
  return { name: facts.length === 0 ? own : `${own} (${facts.join(', ')})`, value: id }
}
