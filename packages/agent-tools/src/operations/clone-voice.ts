import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { openSource } from '../sources/open-source.ts'
import type { VoicesArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { accepted } from './transcribe.ts'

/** Arguments of `clone_voice`. */
export type CloneVoiceSchema = z.ZodObject<{
  /** Reference of a stored recording, or a path where the options allow one. */
  audio: z.ZodString
  /** Name of the new voice. */
  name: z.ZodString
}>

/** A voice from a recording (interface: `POST /v1/audio/voices`). */
export function cloneVoiceOperation(options: ResolvedOptions): SpeechOperation<CloneVoiceSchema, VoicesArtifact> {
  const { names } = options
  const sources = accepted({ ...options, allowUrls: false })
  const usage = `Give "audio", a recording of one person: ${sources}, and "name", a name for the voice.`
  return defineOperation(options, {
    tool: 'clone_voice',
    title: 'Make a voice of a recording',
    description: `Makes a voice like that of the person in a recording. Call it only if the user says that this person agrees. ${names.speak} can use the voice.`,
    schema: z.object({
      audio: z.string().describe(`The recording: ${sources}.`),
      name: z.string().describe('A name for the voice.'),
    }),
    usage,
    readOnly: false,
    run({ audio, name }, scope) {
      if (audio.trim() === '' || name.trim() === '') throw invalidArguments({ usage })
      return cloneVoice(audio, name.trim(), scope)
    },
  })
}

async function cloneVoice(audio: string, name: string, scope: RunScope): Promise<OperationResult<VoicesArtifact>> {
  const { options, client, call } = scope
  const opened = await openSource(audio, scope)
  try {
    if (!('file' in opened.body))
      throw new SpeechToolError('audio_unreadable', 'A voice is made of the bytes of a recording, not of an address.')
    const { id } = await client.voices.create({ audio_sample: opened.body.file, name }, call)
    const content = `The voice is ready. Its name for ${options.names.speak} is ${id}.`
    return { content, artifact: { type: 'voices', voices: [{ name: id, voice_id: id, description: name }] } }
  } finally {
    await opened.close?.()
  }
}
