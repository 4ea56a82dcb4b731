import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { checkMethods, checkObject, checkOptions, checkSignal, type OptionCheck } from '@svc-audio/agent-tools'
import { VoiceConversation } from './conversation.ts'
import type { EventChannel } from './event-channel.ts'
import { type VoiceEvent, voiceEvent } from './events.ts'
import { runStage } from './run-stage.ts'

/** The part of an agent that the stage uses: `createAgent()` and compiled graphs over messages have it. */
export interface StreamingAgent {
  // Their parameters depend on state and context schemas: any of them will do.
  readonly stream: (...args: never[]) => Promise<AsyncIterable<unknown>>
}

/** How the stage calls the agent. */
interface MessageAgent {
  stream(
    input: { messages: BaseMessage[] },
    config: { streamMode: ['messages', 'updates']; signal: AbortSignal } & Record<string, unknown>,
  ): Promise<AsyncIterable<unknown>>
}

/** Options of {@link agentStage}. */
export interface AgentStageOptions {
  /** `createAgent({ … })`, or a compiled graph over messages. */
  readonly agent: StreamingAgent
  /** Passed to `agent.stream()`: `configurable`, `context`, `callbacks` and so on. */
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Holds the history, so that an interrupted answer is cut to what was heard. Use no checkpointer then.
   * @default only the new message is sent: the agent's checkpointer holds the history
   */
  readonly conversation?: VoiceConversation
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof AgentStageOptions, OptionCheck>> = {
  agent: (value, option) => checkMethods(value, option, ['stream']),
  config: checkObject,
  conversation: (value, option) => checkMethods(value, option, ['begin', 'add']),
  signal: checkSignal,
}

/**
 * Runs the agent for each `stt_output`. Its answer comes as `agent_chunk` events, then `agent_end`; its tools as
 * `tool_call` and `tool_result`. `user_input` aborts the run in flight.
 * @throws ConfigurationError naming the option
 */
export function agentStage(
  events: AsyncIterable<VoiceEvent>,
  options: AgentStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, ['agent'])
  return runStage(events, options.signal, async (source, out, signal) => {
    let turn: { readonly controller: AbortController; readonly done: Promise<void> } | undefined
    for await (const event of source) {
      if (event.type === 'user_input' || event.type === 'stt_output') {
        turn?.controller.abort()
        await turn?.done
      }
      out.push(event)
      if (event.type !== 'stt_output') continue
      const controller = new AbortController()
      const both = AbortSignal.any([signal, controller.signal])
      turn = { controller, done: answer(event.transcript, options, out, both) }
    }
    await turn?.done
  })
}

async function answer(
  transcript: string,
  { agent, config, conversation }: AgentStageOptions,
  out: EventChannel,
  signal: AbortSignal,
): Promise<void> {
  const said = new HumanMessage(transcript)
  conversation?.begin(said)
  const messages = conversation === undefined ? [said] : [...conversation.messages]
  const made: BaseMessage[] = []
  let text = ''
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- agents and graphs over messages take these
    const caller = agent as unknown as MessageAgent
    const stream = await caller.stream({ messages }, { ...config, streamMode: ['messages', 'updates'], signal })
    for await (const item of stream) {
      signal.throwIfAborted()
      text += tell(item, out, made)
    }
    signal.throwIfAborted()
    conversation?.add(...made)
    out.push(voiceEvent({ type: 'agent_end', text }))
  } catch (error) {
    // A barge-in: `speakStage` reports what was heard.
    if (signal.aborted) return
    out.push(voiceEvent({ type: 'error', stage: 'agent', error }))
    out.push(voiceEvent({ type: 'agent_end', text }))
  }
}

/** @returns The text that the item adds to the answer. */
function tell(item: unknown, out: EventChannel, made: BaseMessage[]): string {
  if (!Array.isArray(item)) return ''
  const [mode, chunk]: readonly unknown[] = item
  if (mode === 'updates') {
    for (const message of updatedMessages(chunk)) {
      made.push(message)
      tellTools(message, out)
    }
    return ''
  }
  const message: unknown = Array.isArray(chunk) ? chunk[0] : undefined
  if (!(AIMessageChunk.isInstance(message) || AIMessage.isInstance(message)) || message.text === '') return ''
  out.push(voiceEvent({ type: 'agent_chunk', text: message.text }))
  return message.text
}

function tellTools(message: BaseMessage, out: EventChannel): void {
  if (AIMessage.isInstance(message)) {
    for (const { id = '', name, args } of message.tool_calls ?? []) {
      out.push(voiceEvent({ type: 'tool_call', id, name, args }))
    }
  } else if (ToolMessage.isInstance(message)) {
    const { tool_call_id: toolCallId, name = '', text: result } = message
    out.push(voiceEvent({ type: 'tool_result', toolCallId, name, result }))
  }
}

/** The messages that the nodes of a step have added. */
function updatedMessages(update: unknown): readonly BaseMessage[] {
  if (typeof update !== 'object' || update === null) return []
  return Object.values(update).flatMap((node: unknown) => {
    const messages: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'messages') : undefined
    return Array.isArray(messages)
      ? messages.filter((message) => AIMessage.isInstance(message) || ToolMessage.isInstance(message))
      : []
  })
}
