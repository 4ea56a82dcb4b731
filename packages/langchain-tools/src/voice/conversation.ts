import { AIMessage, type BaseMessage } from '@langchain/core/messages'

/**
 * The messages of a spoken conversation. Give the same one to `agentStage` and `speakStage`: after a barge-in the
 * history holds only the part of the answer that the user heard.
 */
export class VoiceConversation {
  readonly #messages: BaseMessage[]

  /** @param messages What was said before. */
  constructor(messages: readonly BaseMessage[] = []) {
    this.#messages = [...messages]
  }

  /** The messages so far. */
  get messages(): readonly BaseMessage[] {
    return this.#messages
  }

  /** Adds messages of a turn. */
  add(...messages: readonly BaseMessage[]): void {
    this.#messages.push(...messages)
  }

  /** Puts what was heard in the place of the turn's answer. @param from Number of messages before the turn's answer. */
  heard(text: string, from: number): void {
    this.#messages.length = Math.min(this.#messages.length, from)
    this.#messages.push(
      new AIMessage(text === '' ? '[interrupted before anything was heard]' : `${text} [interrupted]`),
    )
  }
}
