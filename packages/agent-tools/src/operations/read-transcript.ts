import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { referenceIn, referenceKey } from '../sources/open-source.ts'
import { isAudioId } from '../store/audio-store.ts'
import { quotedPart, readPart } from '../transcripts/read-part.ts'
import { readableTranscript } from '../transcripts/transcript.ts'
import type { StoredTranscript, TranscriptStore } from '../transcripts/transcript-store.ts'
import type { TranscriptPartArtifact } from './artifacts.ts'
import { defineOperation, type OperationResult, type SpeechOperation } from './operation.ts'
import { audioTranscriptId } from './transcriber.ts'
import { getTranscript } from './transcripts.ts'

/** Arguments of `read_transcript`. */
export type ReadTranscriptSchema = z.ZodObject<{
  /** Reference of the transcript, or of its audio. */
  reference: z.ZodString
  /** Character to begin at, counted from 0 in UTF-16 units. @default 0 */
  from: z.ZodDefault<z.ZodNumber>
}>

/** No transcript is longer. Without it, the schema would name the largest integer of JavaScript. */
const MAX_FROM = 1_000_000_000

const USAGE = 'Give "reference", the transcript to read, and "from", the character to begin at: 0 or more.'

/** A further part of a stored transcript. It costs nothing. */
export function readTranscriptOperation(
  options: ResolvedOptions,
  transcripts: TranscriptStore,
): SpeechOperation<ReadTranscriptSchema, TranscriptPartArtifact> {
  const { names } = options
  return defineOperation(options, {
    tool: 'read_transcript',
    title: 'Read a transcript',
    description: `Reads on in a long transcript that ${names.transcribe} made, without transcribing again. At most ${options.maxContentCharacters} characters a call.`,
    schema: z.object({
      reference: z.string().describe(`The transcript's reference as ${names.transcribe} gave it, or the audio's.`),
      from: z
        .number()
        .int()
        .min(0)
        .max(MAX_FROM)
        .default(0)
        .describe('The character to begin at, as the last part named it.'),
    }),
    usage: USAGE,
    readOnly: true,
    run: ({ reference, from }, scope) => readTranscript(reference, from, scope, transcripts),
  })
}

async function readTranscript(
  given: string,
  from: number,
  scope: RunScope,
  transcripts: TranscriptStore,
): Promise<OperationResult<TranscriptPartArtifact>> {
  const { options } = scope
  const reference = referenceIn(given.slice(0, 300))
  const found = await find(reference, scope, transcripts)
  if (found === undefined) {
    const message = `There is no transcript with this reference. Call ${options.names.transcribe} with the audio first.`
    throw new SpeechToolError('transcript_not_found', message)
  }
  const [id, { text, segments }] = found
  const readable = readableTranscript(text, segments)
  if (from > 0 && from >= readable.length) {
    const message = `The transcript has ${readable.length} characters, and "from" is behind them. Give a smaller one.`
    throw new SpeechToolError('invalid_arguments', message)
  }
  const part = readPart(readable, from, options.maxContentCharacters)
  return {
    content: quotedPart(part, id, options.names.read_transcript),
    artifact: { type: 'transcript_part', id, from: part.from, to: part.to, totalCharacters: part.total },
  }
}

/** Under the transcript's own id, or under the one that the audio's reference leads to. */
async function find(
  reference: string,
  scope: RunScope,
  transcripts: TranscriptStore,
): Promise<[id: string, transcript: StoredTranscript] | undefined> {
  if (!isAudioId(reference)) return undefined
  const ofAudio = audioTranscriptId({ key: referenceKey(reference) }, scope)
  for (const id of [reference, ofAudio]) {
    const found = await getTranscript(transcripts, id, scope)
    if (found?.status === 'ready') return [id, found]
  }
  return undefined
}
