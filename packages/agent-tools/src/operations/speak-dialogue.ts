import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import type { SpeakArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { spokenText } from './spoken-text.ts'
import { storeSpeech } from './store-speech.ts'
import { namedVoice, voiceField, withNamedVoices } from './voice-field.ts'

/** Arguments of `speak_dialogue`. */
export type SpeakDialogueSchema = z.ZodObject<{
  /** The lines in speaking order, at least one. */
  lines: z.ZodArray<
    z.ZodObject<{
      /** Name of a voice. */
      voice: z.ZodString
      /** What this voice says. */
      text: z.ZodString
    }>
  >
}>

const USAGE = 'Give "lines", a non-empty array of { "voice", "text" } in speaking order.'

/** A dialogue of several voices as one audio in the store (interface: `POST /v1/audio/speech/speakers`). */
export function speakDialogueOperation(
  options: ResolvedOptions,
  budget: Budget,
): SpeechOperation<SpeakDialogueSchema, SpeakArtifact> {
  const line = z.object({ voice: voiceField(options), text: z.string().describe('What this voice says.') })
  return defineOperation(options, {
    tool: 'speak_dialogue',
    title: 'Speak a dialogue',
    description: `Speaks a dialogue of several voices and returns a reference to one audio. At most ${options.maxCharacters} characters a call.`,
    schema: z.object({ lines: z.array(line).describe('The lines in speaking order.') }),
    usage: USAGE,
    readOnly: false,
    run: (args, scope) => speakDialogue(args.lines, scope, budget),
  })
}

async function speakDialogue(
  lines: readonly { readonly voice: string; readonly text: string }[],
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client, aigc_metadata } = scope
  if (lines.length === 0) throw invalidArguments({ usage: USAGE })
  let characters = 0
  for (const { text } of lines) characters += text.length
  const segments = lines.map(({ voice, text }) => ({
    speaker: namedVoice(options, voice),
    text: spokenText(text, options, characters),
  }))
  const ids = [...new Set(segments.map(({ speaker }) => speaker))]
  const speakers = ids.map((id) => ({ id, voice_id: id }))
  const body = { model: options.dialogueModel, speakers, segments, response_format: 'wav' } as const
  return withNamedVoices(options, ids, () =>
    storeSpeech(scope, budget, () =>
      budget.spend(scope, characters, () =>
        client.dialogue.create(aigc_metadata === undefined ? body : { ...body, aigc_metadata }, scope.call),
      ),
    ),
  )
}
