import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import type { SpeakArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { spokenText } from './spoken-text.ts'
import { storeSpeech } from './store-speech.ts'
import { hasChoice, namedVoice, voiceField, withNamedVoices } from './voice-field.ts'

/** Arguments of `speak`. `voice` is there when the application lists voices. */
export type SpeakSchema = z.ZodObject<{
  /** The words to speak. */
  text: z.ZodString
  /** Name of a voice. Absent without the options `voices` and `serviceVoices`. */
  voice?: z.ZodOptional<z.ZodString>
}>

const USAGE = 'Give the words to speak as "text", a non-empty string.'

/** Text to audio in the store; the model gets its reference and length. */
export function speakOperation(options: ResolvedOptions, budget: Budget): SpeechOperation<SpeakSchema, SpeakArtifact> {
  const text = z.string().describe('The words to speak, as a person says them.')
  const schema: SpeakSchema = hasChoice(options)
    ? z.object({ text, voice: voiceField(options).optional() })
    : z.object({ text })
  return defineOperation(options, {
    tool: 'speak',
    title: 'Speak',
    description: describe(options),
    schema,
    usage: hasChoice(options) ? `${USAGE} "voice" may be ${namesOf(options)}.` : USAGE,
    readOnly: false,
    run: (args, scope) => speak(args, scope, budget),
  })
}

function namesOf({ voices, serviceVoices, names }: ResolvedOptions): string {
  if (serviceVoices) return `a voice as ${names.list_voices} names it`
  return `one of: ${voices.map(({ name }) => name).join(', ')}`
}

function describe({ model, maxCharacters }: ResolvedOptions): string {
  // Interface: only this model knows pause markers.
  const pauses = model === 'svc-tts-1.5-flash' ? ' Write [pause 0.5s] for silence, 0.1 to 10.0 seconds.' : ''
  return `Speaks a text aloud and returns a reference to the audio. At most ${maxCharacters} characters a call.${pauses}`
}

interface SpeakArguments {
  readonly text: string
  readonly voice?: unknown
}

async function speak(
  { text, voice }: SpeakArguments,
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client, aigc_metadata } = scope
  if (text.trim() === '') throw invalidArguments({ usage: USAGE })
  const input = spokenText(text, options, text.length)
  const voice_id = typeof voice === 'string' ? namedVoice(options, voice) : scope.voice_id
  // WAV: every transcription accepts it, and its length can be measured.
  const body = { model: options.model, input, voice_id, response_format: 'wav' } as const
  const named = typeof voice === 'string' ? [voice_id] : []
  return withNamedVoices(options, named, () =>
    storeSpeech(scope, budget, () =>
      budget.spend(scope, text.length, () =>
        client.speech.create(aigc_metadata === undefined ? body : { ...body, aigc_metadata }, scope.call),
      ),
    ),
  )
}
