import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AudioClient } from '@svc-audio/core'
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { createAgent } from 'langchain'
import { z } from 'zod'

const contextSchema = z.object({ userId: z.string() })

/** Creates the graph of a server that several users share. */
export function sharedAgent({ model, client, folder }: { model: BaseChatModel; client: AudioClient; folder: string }) {
  return createAgent({
    model,
    contextSchema,
    tools: createSpeechTools({
      client,
      voice_id: 'rms',
      store: folderAudioStore(folder),
      forRun: (context) => ({ user: contextSchema.parse(context).userId }),
    }),
  })
}
