import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import type { SpeakArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { spokenText } from './spoken-text.ts'
import { storeSpeech } from './store-speech.ts'

/** Arguments of `design_voice`. */
export type DesignVoiceSchema = z.ZodObject<{
  /** What the voice is like: age, emotion, style, speaking rate. */
  instruction: z.ZodString
  /** The words to speak. */
  text: z.ZodString
}>

const USAGE = 'Give "instruction", what the voice is like, and "text", the words to speak with it.'

/** A sample of a voice that is described in words (interface: `POST /v1/audio/voice/generations`). */
export function designVoiceOperation(
  options: ResolvedOptions,
  budget: Budget,
): SpeechOperation<DesignVoiceSchema, SpeakArtifact> {
  return defineOperation(options, {
    tool: 'design_voice',
    title: 'Design a voice',
    description:
      'Speaks a text in a new voice that is described in words, and returns a reference to the audio. It gives a sample, not a voice to use again.',
    schema: z.object({
      instruction: z.string().describe('The voice: age, emotion, style, speaking rate and so on.'),
      text: z.string().describe('The words to speak.'),
    }),
    usage: USAGE,
    readOnly: false,
    run: (args, scope) => designVoice(args, scope, budget),
  })
}

async function designVoice(
  { instruction, text }: { readonly instruction: string; readonly text: string },
  scope: RunScope,
  budget: Budget,
): Promise<OperationResult<SpeakArtifact>> {
  const { options, client } = scope
  if (instruction.trim() === '' || text.trim() === '') throw invalidArguments({ usage: USAGE })
  const characters = instruction.length + text.length
  const input = spokenText(text, options, characters)
  const body = { model: options.voiceModel, input, instruction, response_format: 'wav' } as const
  return storeSpeech(scope, budget, () =>
    budget.spend(scope, characters, () => client.voiceGenerations.create(body, scope.call)),
  )
}
