import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
} from '@langchain/core/messages'
import { toSpeechToolError } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { checkToolkit, type RunOptions, type SpeechToolkit } from '../speech-toolkit.ts'
import { type AudioBlock, audioOf } from './audio-blocks.ts'

/**
 * Stores the audio in users' messages and puts its reference and transcript in its place. Other content stays. LangGraph
 * writes the input of a run into its first checkpoint before any middleware runs: call this before `agent.invoke()`, and
 * no checkpoint holds audio. Audio that cannot be transcribed is replaced by the reason, for the model.
 *
 * @param messages As `agent.invoke({ messages })` takes them.
 * @returns One message for each. A message without audio keeps its content and id.
 * @throws ConfigurationError for a wrong argument, or the signal's reason
 * @example
 * const messages = await replaceAudio([{ role: 'user', content: [recording] }], toolkit)
 * await agent.invoke({ messages })
 */
export async function replaceAudio(
  messages: readonly BaseMessageLike[],
  toolkit: SpeechToolkit,
  options: RunOptions = {},
): Promise<BaseMessage[]> {
  checkToolkit(toolkit)
  if (!Array.isArray(messages))
    throw new ConfigurationError('messages must be an array of messages: call invoke({ messages: [...] })')
  return Promise.all(messages.map((message) => replaceAudioOf(coerceMessageLikeToMessage(message), toolkit, options)))
}

/** @returns The message itself if it has no audio, else a new one with the same id. */
export async function replaceAudioOf(
  message: BaseMessage,
  toolkit: SpeechToolkit,
  options: RunOptions,
): Promise<BaseMessage> {
  const { content } = message
  if (!HumanMessage.isInstance(message) || !Array.isArray(content)) return message
  if (!content.some((block) => audioOf(block) !== undefined)) return message
  const replaced = await Promise.all(
    content.map(async (block) => {
      const audio = audioOf(block)
      return audio === undefined ? block : { type: 'text' as const, text: await describe(audio, toolkit, options) }
    }),
  )
  const { id, name, additional_kwargs } = message
  return new HumanMessage({
    content: replaced,
    additional_kwargs,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  })
}

/** Text for the model in place of the audio. It names a failure, so the conversation continues. */
async function describe(audio: AudioBlock, toolkit: SpeechToolkit, options: RunOptions): Promise<string> {
  if ('fault' in audio) return `[The user sent a recording that cannot be read. ${audio.fault} Tell the user.]`
  let reference: string | undefined
  try {
    reference = 'url' in audio ? audio.url : await toolkit.storeAudio(audio.bytes, audio.contentType, options)
    const transcript = await toolkit.transcribeAudio(reference, options)
    return `[The user sent a recording. Reference: ${reference}. Transcript:]\n${transcript}`
  } catch (error) {
    options.signal?.throwIfAborted()
    const name = reference === undefined ? '' : ` Reference: ${reference}.`
    return `[The user sent a recording, which could not be transcribed.${name} ${toSpeechToolError(error).message}]`
  }
}
