import { setTimeout } from 'node:timers/promises'
import type { AudioClient } from '@svc-audio/core'
import { voiceAgent, VoiceConversation } from '@svc-audio/langchain-tools/voice'
import type { VoiceCall, VoiceEvent } from '@svc-audio/voice'
import { createAgent, tool } from 'langchain'
import { AIMessageChunk, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

/** Name of the tool that the script calls. */
export const CLOCK = 'clock'

const STORY =
  'Once there was a small house at the end of a long road. An old man lived there with a dog. ' +
  'Each morning they walked down to the river and looked at the boats. ' +
  'One day a boat stopped, and a young woman asked for the way to the town. ' +
  'The old man showed her the road, and the dog went with her until she saw the lights. ' +
  'That was a good day, said the old man.'

/** The script of the agent: it tells the time with a tool, tells a story to speak into, and else repeats what it heard. */
export function script(messages: readonly BaseMessage[]): ScriptedTurn {
  const last = messages.at(-1)
  const text = last?.text ?? ''
  if (ToolMessage.isInstance(last)) return { text: `It is ${text}.` }
  if (/\b(?:time|clock)\b/i.test(text)) return { tool: CLOCK }
  if (/\b(?:story|tell)\b/i.test(text)) return { text: STORY }
  if (/\b(?:stop|thanks?)\b/i.test(text)) return { text: 'All right.' }
  return { text: `I heard: ${text}. Ask me for the time, or for a story.` }
}

/** What the model does next: it writes a text, or it calls a tool without arguments. */
export type ScriptedTurn = { readonly text: string } | { readonly tool: string }

/** Milliseconds for each word: as fast as a hosted model writes. */
const WORD_MS = 40

/** A model that follows a script. It needs no account, and writes word by word as a hosted model does. */
export class ScriptedModel extends BaseChatModel {
  readonly #script: (messages: readonly BaseMessage[]) => ScriptedTurn

  /** @param next Decides on the next turn by the conversation so far. */
  constructor(next: (messages: readonly BaseMessage[]) => ScriptedTurn) {
    super({})
    this.#script = next
  }

  override _llmType(): string {
    return 'scripted'
  }

  /** The script names its tools itself. */
  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = messageOf(this.#script(messages), messages.length)
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = this.#script(messages)
    if ('tool' in turn) {
      yield new ChatGenerationChunk({ text: '', message: messageOf(turn, messages.length) })
      return
    }
    for (const text of turn.text.split(/(?<=\s)/)) {
      await setTimeout(WORD_MS, undefined, { signal })
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) })
      yield chunk
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

/** @param turn What the message is. @param index Of the message in its conversation. */
function messageOf(turn: ScriptedTurn, index: number): AIMessageChunk {
  if ('text' in turn) return new AIMessageChunk(turn.text)
  return new AIMessageChunk({ content: '', tool_calls: [{ name: turn.tool, args: {}, id: `call_${index}` }] })
}

/** What a conversation keeps over a lost connection. */
export interface TalkState {
  /** Made by its first connection. */
  conversation?: VoiceConversation
}

const clock = tool(() => new Date().toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' }), {
  name: CLOCK,
  description: 'The time of day.',
  schema: { type: 'object', properties: {} },
})

const agent = createAgent({ model: new ScriptedModel(script), tools: [clock] })

/** Speaks with one user, with the voice that the query of the address names. */
export function talk(call: VoiceCall<undefined, TalkState>, client: AudioClient): AsyncIterable<VoiceEvent> {
  const { request, state } = call
  state.conversation ??= new VoiceConversation()
  const voice_id = new URL(request.url, 'http://localhost').searchParams.get('voice') ?? ''
  return voiceAgent({ client, voice_id, agent }).converse({ ...call, state: state.conversation })
}
