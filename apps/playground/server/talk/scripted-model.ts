import { setTimeout } from 'node:timers/promises'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

/** What the model does next: it writes a text, or it calls a tool without arguments. */
export type ScriptedTurn = { readonly text: string } | { readonly tool: string }

/** Milliseconds for each word: as fast as a hosted model writes. */
const WORD_MS = 40

/** A model that follows a script. It needs no account, and writes word by word as a hosted model does. */
export class ScriptedModel extends BaseChatModel {
  readonly #script: (messages: readonly BaseMessage[]) => ScriptedTurn

  /** @param script Decides on the next turn by the conversation so far. */
  constructor(script: (messages: readonly BaseMessage[]) => ScriptedTurn) {
    super({})
    this.#script = script
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
