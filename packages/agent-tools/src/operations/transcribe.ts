import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { TranscribeArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type SpeechOperation } from './operation.ts'
import type { Transcriber } from './transcriber.ts'
import { showTranscript } from './transcripts.ts'

/** Arguments of `transcribe` and `start_transcription`. */
export type TranscribeSchema = z.ZodObject<{
  /** Reference of stored audio, or a URL or path where the options allow them. */
  audio: z.ZodString
}>

/** Audio to text; the model gets the beginning of a long transcript and how to read on. */
export function transcribeOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
): SpeechOperation<TranscribeSchema, TranscribeArtifact> {
  const usage = `Give the audio as "audio", a string: ${accepted(options)}.`
  return defineOperation(options, {
    tool: 'transcribe',
    title: 'Transcribe',
    description: `Writes down what is said in audio. Takes ${accepted(options)}. The same audio is transcribed once.`,
    schema: audioSchema(options),
    usage,
    readOnly: false,
    async run({ audio }, scope) {
      if (audio.trim() === '') throw invalidArguments({ usage })
      const { id, transcript, requestId } = await transcriber.transcribe(audio, scope)
      return showTranscript(id, transcript, scope, transcriber.spentBy(scope), requestId)
    },
  })
}

/** The argument that names audio. */
export function audioSchema(options: ResolvedOptions): TranscribeSchema {
  return z.object({ audio: z.string().describe(`The audio: ${accepted(options)}.`) })
}

/** Sources of audio that a model may name. */
export function accepted({ names, allowUrls, urlHosts, urlPolicy, paths }: ResolvedOptions): string {
  const ofHosts = urlHosts.length === 0 ? '' : ` of ${urlHosts.join(' or ')}`
  const ofUser = urlPolicy === 'from-user' ? ' that the user wrote' : ''
  return [
    `a reference as ${names.speak} returns it`,
    ...(allowUrls ? [`a public https URL${ofHosts}${ofUser}`] : []),
    ...(paths ? ['the path of an audio file in a shared folder'] : []),
  ].join(', or ')
}
