import { type AgentMiddleware, createMiddleware } from 'langchain'
import { checkToolkit, type SpeechToolkit } from '../speech-toolkit.ts'
import { runOf } from '../run-of.ts'
import { replaceAudioOf } from './replace-audio.ts'

/**
 * Lets users speak to an agent: audio in a user's message is stored and replaced by its reference and transcript before
 * the model reads it. Later checkpoints have no audio. The first one holds the input as it came, unless the run has
 * `durability: 'exit'` or the application calls `replaceAudio` before `invoke`.
 * @throws ConfigurationError unless it gets a toolkit
 */
export function voiceInputMiddleware(toolkit: SpeechToolkit): AgentMiddleware {
  checkToolkit(toolkit)
  return createMiddleware({
    name: 'VoiceInput',
    beforeAgent: async ({ messages }, { signal, context, configurable }) => {
      const run = runOf({ configurable, context, state: { messages } })
      const replaced = await Promise.all(
        messages.map((message) => replaceAudioOf(message, toolkit, { signal, context, run })),
      )
      const changed = replaced.filter((message, index) => message !== messages[index])
      // The same id: the reducer replaces the message instead of adding one.
      return changed.length === 0 ? undefined : { messages: changed }
    },
  })
}
