import type { PureAudioClient, Voice } from '@svc-audio/core/pure'
import { FILES_LIMIT_MAX, VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow'
import { createAudioClient } from './client/audio-client.ts'
import { toListError } from './errors/index.ts'

/** Makes a list. @throws NodeOperationError in the words of a failed run */
async function listed(
  context: ILoadOptionsFunctions,
  list: (audio: PureAudioClient) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult> {
  try {
    const { audio } = await createAudioClient(context)
    return await list(audio)
  } catch (error) {
    throw toListError(context.getNode(), error)
  }
}

/**
 * Voices whose name, language, gender or id contains the filter. Without a filter, one page of the service at a time: n8n asks for the next
 * one when the user scrolls. With one, all pages: the service does not search, and n8n scrolls only what it has.
 */
export async function searchVoices(
  context: ILoadOptionsFunctions,
  filter = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  return listed(context, async (audio) => {
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
  })
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
  return listed(context, async (audio) => {
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
  })
}

/** How the ids of each kind of model begin, dated ones included (interface: Known model ids). */
const PREFIXES = {
  speech: 'svc-tts-',
  dialogue: 'svc-ttsd-',
  transcription: 'svc-transcribe-',
  voice: 'svc-voice-',
} as const

/**
 * Models for one kind of work whose id holds the filter. The service's list does not say what a model is for, so that
 * only ids known to be of another kind are left out.
 */
export async function searchModels(
  context: ILoadOptionsFunctions,
  kind: keyof typeof PREFIXES,
  filter?: string,
): Promise<INodeListSearchResult> {
  return listed(context, async (audio) => {
    const { data } = await audio.models.list()
    const ids = data.map(({ id }) => id).filter((id) => isOf(kind, id) && matches(filter, id))
    return { results: ids.map((id) => ({ name: id, value: id })) }
  })
}

function isOf(kind: keyof typeof PREFIXES, id: string): boolean {
  return id.startsWith(PREFIXES[kind]) || !Object.values(PREFIXES).some((prefix) => id.startsWith(prefix))
}

/** Whether one of the texts holds the filter, whatever its case; without a filter, all do. */
function matches(filter: string | undefined, ...texts: string[]): boolean {
  const wanted = (filter ?? '').trim().toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(wanted))
}
