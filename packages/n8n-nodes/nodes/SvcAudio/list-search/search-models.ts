import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { matches } from './matches.ts'

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
  const { audio } = await createAudioClient(context)
  const { data } = await audio.models.list()
  const ids = data.map(({ id }) => id).filter((id) => isOf(kind, id) && matches(filter, id))
  return { results: ids.map((id) => ({ name: id, value: id })) }
}

function isOf(kind: keyof typeof PREFIXES, id: string): boolean {
  return id.startsWith(PREFIXES[kind]) || !Object.values(PREFIXES).some((prefix) => id.startsWith(prefix))
}
