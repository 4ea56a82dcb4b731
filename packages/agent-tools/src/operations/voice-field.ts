import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { VoiceChoice } from '../options/speech-tools-options.ts'

/** The argument that chooses a voice by its name. */
export function voiceField(voices: readonly VoiceChoice[]): z.ZodString {
  return z.string().describe(`The voice, one of: ${voices.map(({ name }) => name).join(', ')}.`)
}

/**
 * The id of a voice that a model named.
 * @throws SpeechToolError `invalid_arguments`, with the names that there are
 */
export function namedVoice(voices: readonly VoiceChoice[], name: string): string {
  const found = voices.find((voice) => voice.name.toLowerCase() === name.trim().toLowerCase())
  if (found !== undefined) return found.voice_id
  const names = voices.map((voice) => voice.name).join(', ')
  throw new SpeechToolError('invalid_arguments', `There is no voice of this name. Choose one of: ${names}.`)
}
