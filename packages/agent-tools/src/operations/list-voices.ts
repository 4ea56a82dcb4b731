import { z } from 'zod'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { VoicesArtifact } from './artifacts.ts'
import { defineOperation, type SpeechOperation } from './operation.ts'

/** The voices that the application offers. Asks no service. */
export function listVoicesOperation(options: ResolvedOptions): SpeechOperation<z.ZodObject, VoicesArtifact> {
  const { voices, names } = options
  return defineOperation(options, {
    tool: 'list_voices',
    title: 'List voices',
    description: `Lists the voices that ${names.speak} can use, with what each is good for.`,
    schema: z.object({}),
    usage: 'This tool takes no arguments.',
    readOnly: true,
    run: () => {
      const lines = voices.map(({ name, description }) =>
        description === undefined ? name : `${name}: ${description}`,
      )
      return Promise.resolve({ content: lines.join('\n'), artifact: { type: 'voices', voices } })
    },
  })
}
