import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { VoiceChoice } from '../options/speech-tools-options.ts'

/** A voice as a model reads it: its name, its language, and what it is good for. */
export function voiceLine({ name, language, description }: VoiceChoice): string {
  const named = language === undefined ? name : `${name} (${language})`
  return description === undefined ? named : `${named}: ${description}`
}

/**
 * The argument that chooses a voice by its name. The schema for the model lists the names; another spelling of a name is
 * still understood.
 */
export function voiceField(voices: readonly VoiceChoice[]): z.ZodString {
  return z
    .string()
    .meta({ enum: voices.map(({ name }) => name), description: `The voice.\n${voices.map(voiceLine).join('\n')}` })
}

/**
 * The id of a voice that a model named.
 * @throws SpeechToolError `invalid_arguments`, with the names that there are
 */
export function namedVoice(voices: readonly VoiceChoice[], name: string): string {
  const found = voices.find((voice) => voice.name.toLowerCase() === name.trim().toLowerCase())
  if (found !== undefined) return found.voice_id
  const names = voices.map((voice) => voice.name).join(', ')
  const given = JSON.stringify(name.slice(0, 64))
  throw new SpeechToolError('invalid_arguments', `There is no voice ${given}. Choose one of: ${names}.`)
}
