import { AIMessage, type BaseMessage } from '@langchain/core/messages'

/**
 * The messages of a spoken conversation. Give the same one to `agentStage` and `speakStage`: after a barge-in the
 * history holds only the part of the answer that the user heard.
 */
export class VoiceConversation {
  readonly #messages: BaseMessage[]
  /** Message of the user in each turn. */
  readonly #turns: BaseMessage[] = []

  /** @param messages Earlier messages. */
  constructor(messages: readonly BaseMessage[] = []) {
    this.#messages = [...messages]
  }

  /** The messages so far. */
  get messages(): readonly BaseMessage[] {
    return this.#messages
  }

  /** Number of turns so far. */
  get turns(): number {
    return this.#turns.length
  }

  /** Begins a turn. @param said The user's message. */
  begin(said: BaseMessage): void {
    this.#turns.push(said)
    this.#messages.push(said)
  }

  /** Adds messages of the agent to the current turn. */
  add(...messages: readonly BaseMessage[]): void {
    this.#messages.push(...messages)
  }

  /**
   * Replaces the answer of a turn by the text that was heard.
   * @param turn 1 for the first turn. An unknown turn changes nothing.
   */
  heard(text: string, turn: number): void {
    const said = this.#turns[turn - 1]
    if (said === undefined) return
    const start = this.#messages.indexOf(said) + 1
    const next = this.#turns[turn]
    const end = next === undefined ? this.#messages.length : this.#messages.indexOf(next)
    const heard = new AIMessage(text === '' ? '[interrupted before anything was heard]' : `${text} [interrupted]`)
    this.#messages.splice(start, end - start, heard)
  }
}
