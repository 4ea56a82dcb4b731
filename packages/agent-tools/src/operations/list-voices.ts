import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { VoicesArtifact } from './artifacts.ts'
import { defineOperation, type SpeechOperation } from './operation.ts'
import { voiceLine } from './voice-field.ts'

/** The voices that the application offers. Asks no service. */
export function listVoicesOperation(options: ResolvedOptions): SpeechOperation<z.ZodObject, VoicesArtifact> {
  const { voices, names } = options
  return defineOperation(options, {
    tool: 'list_voices',
    title: 'List voices',
    description: `Lists the voices that ${names.speak} can use, with the language of each and what it is good for.`,
    schema: z.object({}),
    usage: 'This tool takes no arguments.',
    readOnly: true,
    run: () => Promise.resolve({ content: voices.map(voiceLine).join('\n'), artifact: { type: 'voices', voices } }),
  })
}
