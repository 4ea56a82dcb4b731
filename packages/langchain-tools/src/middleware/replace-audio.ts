import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
} from '@langchain/core/messages'
import type { InteropZodObject } from '@langchain/core/utils/types'
import { toSpeechToolError } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import { runOf } from '../run-of.ts'
import { checkToolkit, type RunOptions, type SpeechToolkit } from '../speech-toolkit.ts'
import { checkMiddleware, type SpeechMiddlewareOptions } from './run-schema.ts'

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
  if (toolkit.needsContext && !('context' in options))
    throw new ConfigurationError(
      'replaceAudio(): the toolkit has `forRun`, so the options must have the `context` of the run: replaceAudio(messages, toolkit, { context })',
    )
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

/** Audio in a message: bytes, an address, or why it can be neither. */
type AudioBlock =
  | { readonly bytes: Uint8Array; readonly contentType: string }
  | { readonly url: string }
  | { readonly fault: string }

/** Kinds of blocks that hold a recording if their MIME type says so. `audio` and `video` always do. */
const FILES: ReadonlySet<unknown> = new Set(['file', 'media'])

/**
 * The audio of a content block: LangChain's standard blocks `audio`, `video` and `file`, their older form
 * (`source_type`), Google's `media`, and OpenAI's `input_audio` and `file`. A `data:` URL is decoded. `undefined` for any
 * other block, and for audio that only the model's provider can open.
 */
export function audioOf(block: unknown): AudioBlock | undefined {
  const type = field(block, 'type')
  if (type === 'input_audio') return openAiAudio(field(block, 'input_audio'))
  const fileData = field(field(block, 'file'), 'file_data')
  if (type === 'file' && typeof fileData === 'string') return recordingIn(fileData)
  const given = field(block, 'mimeType') ?? field(block, 'mime_type')
  const contentType = typeof given === 'string' ? given : undefined
  if (FILES.has(type) ? !isRecording(contentType) : type !== 'audio' && type !== 'video') return undefined
  const url = field(block, 'url')
  if (typeof url === 'string') return /^data:/i.test(url) ? fromDataUrl(url) : { url }
  return fromData(field(block, 'data'), contentType ?? 'application/octet-stream')
}

function openAiAudio(audio: unknown): AudioBlock | undefined {
  return fromData(field(audio, 'data'), field(audio, 'format') === 'mp3' ? 'audio/mpeg' : 'audio/wav')
}

/** OpenAI's `file` holds any file. */
function recordingIn(url: string): AudioBlock | undefined {
  return isRecording(/^data:([^;,]*)/i.exec(url)?.[1]) ? fromDataUrl(url) : undefined
}

function isRecording(contentType: string | undefined): boolean {
  return contentType !== undefined && /^(?:audio|video)\//i.test(contentType)
}

function fromDataUrl(url: string): AudioBlock {
  const comma = url.indexOf(',')
  const [, type = ''] = /^data:([^;,]*).*;base64$/is.exec(url.slice(0, Math.max(0, comma))) ?? []
  if (type === '') return { fault: 'Its data: URL is not Base64 with a MIME type.' }
  return fromData(url.slice(comma + 1), type) ?? { fault: 'Its data: URL is empty.' }
}

function fromData(data: unknown, contentType: string): AudioBlock | undefined {
  if (data instanceof Uint8Array) return { bytes: data, contentType }
  if (typeof data !== 'string') return undefined
  // A data: URL where Base64 belongs is a common mistake.
  if (/^data:/i.test(data)) return fromDataUrl(data)
  return isBase64(data) ? { bytes: Buffer.from(data, 'base64'), contentType } : { fault: 'Its data is not Base64.' }
}

/** `Buffer.from` takes any text, and makes noise of it that would be paid for. */
function isBase64(text: string): boolean {
  const bare = text.replaceAll(/\s+/g, '').replace(/={1,2}$/, '')
  return bare !== '' && bare.length % 4 !== 1 && /^[A-Za-z0-9+/_-]+$/.test(bare)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/**
 * Lets users speak to an agent: audio in a user's message is stored and replaced by its reference and transcript before
 * the model reads it. Later checkpoints have no audio. The first one holds the input as it came, unless the run has
 * `durability: 'exit'` or the application calls `replaceAudio` before `invoke`.
 * @throws ConfigurationError unless it gets a toolkit, and for a toolkit with `forRun` a `contextSchema`
 */
export function voiceInputMiddleware<Context extends InteropZodObject | undefined = undefined>(
  toolkit: SpeechToolkit,
  options: SpeechMiddlewareOptions<Context> = {},
): AgentMiddleware<undefined, Context> {
  checkMiddleware('voiceInputMiddleware()', toolkit, options)
  const { contextSchema } = options
  return createMiddleware({
    name: 'VoiceInput',
    ...(contextSchema === undefined ? {} : { contextSchema }),
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
