import { ProtocolError } from '@svc-audio/core'
import { z } from 'zod'
import type { TranscribeArtifact } from './artifacts.ts'
import { AudioTool, type ContentAndArtifact, type SpeechTool } from './audio-tool.ts'
import { SpeechToolError } from './errors/speech-tool-error.ts'
import type { ResolvedOptions } from './options.ts'
import { openSource, type TranscribeSource } from './sources/open-source.ts'
import { readSegments, readableTranscript, truncate } from './transcript.ts'

type TranscribeSchema = z.ZodObject<{ audio: z.ZodString }>

/** The tool that transcribes. */
export type TranscribeTool = SpeechTool<TranscribeSchema>

/** Audio to text; the model gets the beginning if it is long, the artifact has all of it. */
export function transcribeTool(options: ResolvedOptions): AudioTool<TranscribeSchema, TranscribeArtifact> {
  const sources = accepted(options)
  return new AudioTool({
    name: options.names.transcribe,
    description: `Writes down what is said in audio. Takes ${sources}.`,
    schema: z.object({ audio: z.string().describe(`The audio: ${sources}.`) }),
    usage: `Give the audio as "audio", a string: ${sources}.`,
    run: ({ audio }, signal) => transcribe(audio.trim(), options, signal),
  })
}

function accepted({ names, allowUrls, allowedRoot }: ResolvedOptions): string {
  return [
    `a reference as ${names.speak} returns it`,
    ...(allowUrls ? ['a public https URL'] : []),
    ...(allowedRoot === undefined ? [] : ['the path of a file in the shared folder']),
  ].join(', or ')
}

async function transcribe(
  audio: string,
  options: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<ContentAndArtifact<TranscribeArtifact>> {
  if (audio === '') throw new SpeechToolError('invalid_arguments', `Give the audio: ${accepted(options)}.`)
  const source = await openSource(audio, options, signal)
  try {
    return await send(source, options, signal)
  } finally {
    await source.close?.()
  }
}

async function send(
  { body, source }: TranscribeSource,
  { client, transcriptionModel, maxContentCharacters }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<ContentAndArtifact<TranscribeArtifact>> {
  const result: object = await client.transcriptions.create(
    { model: transcriptionModel, ...body },
    signal === undefined ? {} : { signal },
  )
  const text: unknown = Reflect.get(result, 'text')
  if (typeof text !== 'string') throw new ProtocolError('The transcription has no text')
  const duration: unknown = Reflect.get(result, 'duration')
  const segments = readSegments(result)
  const { content, truncated } = truncate(readableTranscript(text, segments), maxContentCharacters)
  const artifact: TranscribeArtifact = {
    type: 'transcript',
    text,
    truncated,
    source,
    ...(typeof duration === 'number' ? { durationSeconds: duration } : {}),
    ...(segments.length > 0 ? { segments } : {}),
  }
  return [content, artifact]
}
