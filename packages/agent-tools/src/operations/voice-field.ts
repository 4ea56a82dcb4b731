import { ApiError } from '@svc-audio/core'
import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions, VoiceChoice } from '../options/speech-tools-options.ts'

/** What decides which voices a model may choose. */
type Voices = Pick<ResolvedOptions, 'voices' | 'serviceVoices' | 'names'>

/** A voice as a model reads it: its name, its language, and what it is good for. */
export function voiceLine({ name, language, description }: VoiceChoice): string {
  const named = language === undefined ? name : `${name} (${language})`
  return description === undefined ? named : `${named}: ${description}`
}

/** Whether a model may choose a voice at all. */
export function hasChoice({ voices, serviceVoices }: Omit<Voices, 'names'>): boolean {
  return voices.length > 0 || serviceVoices
}

/**
 * The argument that chooses a voice by its name. The schema for the model lists the names, unless the service has more;
 * another spelling of a name is still understood.
 */
export function voiceField({ voices, serviceVoices, names }: Voices): z.ZodString {
  const listed = voices.map(voiceLine)
  if (!serviceVoices)
    return z.string().meta({
      enum: voices.map(({ name }) => name),
      description: `The voice.\n${listed.join('\n')}`,
    })
  return z.string().describe([`The voice, as ${names.list_voices} names it.`, ...listed].join('\n'))
}

/**
 * The id of a voice that a model named.
 * @throws SpeechToolError `invalid_arguments`, with the names that there are
 */
export function namedVoice({ voices, serviceVoices }: Voices, name: string): string {
  const given = name.trim()
  const found = voices.find((voice) => voice.name.toLowerCase() === given.toLowerCase())
  if (found !== undefined) return found.voice_id
  if (serviceVoices && given !== '') return given
  const names = voices.map((voice) => voice.name).join(', ')
  const shown = JSON.stringify(name.slice(0, 64))
  throw new SpeechToolError('invalid_arguments', `There is no voice ${shown}. Choose one of: ${names}.`)
}

/**
 * Awaits speech by voices that a model named. A voice that only the service could know, and does not, is the model's
 * mistake and not one of the application.
 * @throws SpeechToolError `invalid_arguments` for such a voice
 * @throws What the speech throws
 */
export async function withNamedVoices<T>(
  { voices, serviceVoices, names }: Voices,
  ids: readonly string[],
  speech: () => Promise<T>,
): Promise<T> {
  try {
    return await speech()
  } catch (error) {
    const foreign = ids.filter((id) => voices.every(({ voice_id }) => voice_id !== id))
    if (!serviceVoices || foreign.length === 0 || !ApiError.isInstance(error)) throw error
    if (error.code !== 'voice_not_found' && !(error.status === 404 && isVoice(error.param))) throw error
    const shown = foreign.map((id) => JSON.stringify(id.slice(0, 64))).join(', ')
    const missing = foreign.length === 1 ? `There is no voice ${shown}` : `One of these voices does not exist: ${shown}`
    const message = `${missing}. Choose one that ${names.list_voices} names.`
    throw new SpeechToolError('invalid_arguments', message, { requestId: error.requestId, cause: error })
  }
}

function isVoice(param: string | undefined): boolean {
  return param?.includes('voice') === true
}
