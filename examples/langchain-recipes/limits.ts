import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AudioClient } from '@svc-audio/core'
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { createAgent, toolCallLimitMiddleware } from 'langchain'

/** Creates an agent that speaks at most 10,000 characters in a run, and designs at most 2 voices. */
export function frugalAgent({ model, client, folder }: { model: BaseChatModel; client: AudioClient; folder: string }) {
  const tools = createSpeechTools({
    client,
    voice_id: 'rms',
    store: folderAudioStore(folder),
    tools: ['speak', 'transcribe', 'read_transcript', 'design_voice'],
    maxCharactersPerRun: 10_000,
    maxAudioSeconds: 3600,
    maxAudioSecondsPerRun: 7200,
  })
  return createAgent({ model, tools, middleware: [toolCallLimitMiddleware({ toolName: 'design_voice', runLimit: 2 })] })
}
