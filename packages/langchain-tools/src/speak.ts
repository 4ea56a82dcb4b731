import { z } from 'zod'
import type { SpeakArtifact } from './artifacts.ts'
import { AudioTool, type ContentAndArtifact, type SpeechTool } from './audio-tool.ts'
import { SpeechToolError } from './errors/speech-tool-error.ts'
import { keepSpeech } from './keep-speech.ts'
import type { ResolvedOptions } from './options.ts'

const USAGE = 'Give the words to speak as "text", a non-empty string.'

/** What a model chooses: the words. */
const schema: SpeakSchema = z.object({ text: z.string().describe('The words to speak.') })

type SpeakSchema = z.ZodObject<{ text: z.ZodString }>

/** The tool that speaks. */
export type SpeakTool = SpeechTool<SpeakSchema>

/** Text to audio in the store; the model gets its id and length. */
export function speakTool(options: ResolvedOptions): AudioTool<SpeakSchema, SpeakArtifact> {
  return new AudioTool({
    name: options.names.speak,
    description: describe(options),
    schema,
    usage: USAGE,
    run: ({ text }, signal) => speak(text, options, signal),
  })
}

function describe({ model, maxCharacters }: ResolvedOptions): string {
  // Interface: only this model knows pause markers.
  const pauses = model === 'svc-tts-1.5-flash' ? ' Write [pause 0.5s] for silence, 0.1 to 10.0 seconds.' : ''
  return `Speaks a text aloud and returns a reference to the audio. At most ${maxCharacters} characters a call.${pauses}`
}

async function speak(
  text: string,
  { client, voice_id, model, store, maxCharacters }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<ContentAndArtifact<SpeakArtifact>> {
  if (text.trim() === '') throw new SpeechToolError('invalid_arguments', USAGE)
  if (text.length > maxCharacters) {
    const message = `The text has ${text.length} characters; at most ${maxCharacters} are spoken in one call. Split it.`
    throw new SpeechToolError('text_too_long', message)
  }
  // WAV: every transcription takes it, and its length can be measured.
  const body = { model, input: text, voice_id, response_format: 'wav' }
  const speech = await client.speech.create(body, signal === undefined ? {} : { signal })
  const artifact = await keepSpeech(store, speech, signal)
  return [`Spoken${length(artifact)}. Reference: ${artifact.id}`, artifact]
}

function length({ durationSeconds }: SpeakArtifact): string {
  return durationSeconds === undefined ? '' : `: ${durationSeconds.toFixed(1)} seconds of audio`
}
