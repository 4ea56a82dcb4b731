import { setImmediate } from 'node:timers/promises'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

/** What a scripted model does: it writes a text, and may call tools. */
export interface TickingReply {
  readonly text: string
  /** Names of the tools that it calls. */
  readonly calls: readonly string[]
}

/** A model that follows a script, word by word, one turn of the event loop for each. */
export class TickingModel extends BaseChatModel {
  readonly #reply: (messages: readonly BaseMessage[]) => TickingReply
  readonly #thinkingTicks: number
  #calls = 0

  /** @param thinkingTicks Turns of the event loop before its first word. */
  constructor(reply: (messages: readonly BaseMessage[]) => TickingReply, thinkingTicks = 0) {
    super({})
    this.#reply = reply
    this.#thinkingTicks = thinkingTicks
  }

  override _llmType(): string {
    return 'ticking'
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls } = this.#reply(messages)
    this.#calls += 1
    const tool_calls = calls.map((name) => ({ name, args: {}, id: `${name}_${this.#calls}` }))
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls } = this.#reply(messages)
    this.#calls += 1
    for (let tick = 0; tick < this.#thinkingTicks; tick += 1) {
      await setImmediate()
      signal?.throwIfAborted()
    }
    for (const word of text.split(/(?<=\s)/)) {
      await setImmediate()
      signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) })
      yield chunk
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk })
    }
    if (calls.length === 0) return
    const tool_call_chunks = calls.map((name, index) => ({
      name,
      args: '{}',
      id: `${name}_${this.#calls}`,
      index,
      type: 'tool_call_chunk' as const,
    }))
    yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content: '', tool_call_chunks }) })
  }
}
