import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { asSubtitles, SUBTITLE_FORMATS, withNames } from '../transcripts/views.ts'
import type { TranscribeArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import type { Transcriber } from './transcriber.ts'
import { setTranscript, showTranscript, transcriptId } from './transcripts.ts'
import type { TranscriptStore } from '../transcripts/transcript-store.ts'

/** Arguments of `start_transcription`. */
export type AudioSchema = z.ZodObject<{
  /** Reference of stored audio, or a URL or path where the options allow them. */
  audio: z.ZodString
}>

/** Arguments of `transcribe`. */
export type TranscribeSchema = z.ZodObject<{
  /** Reference of stored audio, or a URL or path where the options allow them. */
  audio: z.ZodString
  /** Form of the transcript. @default 'text' */
  format: z.ZodOptional<z.ZodEnum<{ text: 'text'; srt: 'srt'; vtt: 'vtt' }>>
  /** Names of the speakers in the order of their first speech. @default labels such as S01 */
  speakers: z.ZodOptional<z.ZodArray<z.ZodString>>
}>

/** Audio to text; the model gets the beginning of a long transcript and how to read on. */
export function transcribeOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): SpeechOperation<TranscribeSchema, TranscribeArtifact> {
  const usage = `Give the audio as "audio", a string: ${accepted(options)}.`
  return defineOperation(options, {
    tool: 'transcribe',
    title: 'Transcribe',
    description: `Writes down what is said in audio, as text or as subtitles. Takes ${accepted(options)}. The same audio in the same form is transcribed once.`,
    schema: audioSchema(options).extend({
      format: z
        .enum(['text', ...SUBTITLE_FORMATS])
        .optional()
        .describe('srt or vtt for subtitles. Default: text.'),
      speakers: z
        .array(z.string())
        .optional()
        .describe('Names of the speakers in the order in which they first speak, to separate them.'),
    }),
    usage,
    readOnly: false,
    async run({ audio, ...view }, scope) {
      if (audio.trim() === '') throw invalidArguments({ usage })
      return transcribe(audio, view, scope, transcriber, transcripts)
    },
  })
}

async function transcribe(
  audio: string,
  { format = 'text', speakers = [] }: Omit<z.output<TranscribeSchema>, 'audio'>,
  scope: RunScope,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): Promise<OperationResult<TranscribeArtifact>> {
  const isPlain = format === 'text' && speakers.length === 0
  const own = isPlain ? scope : withSpeakers(scope)
  const { id, transcript, requestId } = await transcriber.transcribe(audio, own)
  const spent = transcriber.spentBy(scope)
  if (isPlain) return showTranscript(id, transcript, scope, spent, requestId)
  const named = withNames(transcript, speakers)
  const view = format === 'text' ? named : asSubtitles(named, format)
  // Stored, so that the model can read on in it.
  const viewId = transcriptId(JSON.stringify([id, format, speakers]))
  await setTranscript(transcripts, viewId, view, scope)
  return showTranscript(viewId, view, scope, spent, requestId)
}

/** Names and subtitles need speakers and times, which this model gives. */
function withSpeakers(scope: RunScope): RunScope {
  return { ...scope, options: { ...scope.options, transcriptionModel: scope.options.speakerModel } }
}

/** The argument that names audio. */
export function audioSchema(options: ResolvedOptions): AudioSchema {
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
