import { HumanMessage } from '@langchain/core/messages'
import type { RunKey } from '@svc-audio/agent-tools'

/**
 * Names of the run of a config: everything between one message of the user and the answer, with all sub-agents and
 * parallel tools. LangGraph passes no id of it. These name it:
 *
 * - `run_id`, which a LangGraph server sets for a whole run.
 * - The abort signal of the outermost graph, which reaches every node of every graph inside it.
 * - Thread and last user message of the outermost agent, which outlive an interrupt.
 *
 * @param config The config of a tool, or the runtime of a middleware with its state.
 * @returns `undefined` outside of a graph
 */
export function runOf(config: object | undefined): RunKey | undefined {
  const configurable = field(config, 'configurable')
  const thread = text(field(configurable, 'thread_id')) ?? ''
  const id = text(field(configurable, 'run_id') ?? field(field(config, 'metadata'), 'run_id'))
  const message = isNested(configurable) ? undefined : lastUserMessage(field(config, 'state'))
  const names = [
    ...(id === undefined ? [] : [JSON.stringify(['run', thread, id])]),
    ...objects(field(field(configurable, '__pregel_abort_signals'), 'externalAbortSignal')),
    ...(message === undefined ? [] : [JSON.stringify(['message', thread, message])]),
  ]
  if (names.length > 0) return names
  const [control = field(config, 'context')] = objects(field(config, 'control'))
  return typeof control === 'object' && control !== null ? control : undefined
}

/**
 * The texts of the user's messages in the state of the agent that called a tool. None in a sub-agent: there, another
 * model wrote them.
 */
export function userTextsOf(config: object | undefined): string[] {
  const messages = field(field(config, 'state'), 'messages')
  if (isNested(field(config, 'configurable')) || !Array.isArray(messages)) return []
  return messages.flatMap((message: unknown) => (HumanMessage.isInstance(message) ? [message.text] : []))
}

/** Whether a graph runs inside another one: its user message is the agent's that called it. */
function isNested(configurable: unknown): boolean {
  return text(field(configurable, 'checkpoint_ns'))?.includes('|') === true
}

function lastUserMessage(state: unknown): string | undefined {
  const messages = field(state, 'messages')
  if (!Array.isArray(messages)) return undefined
  const last: unknown = messages.findLast((message) => HumanMessage.isInstance(message))
  return HumanMessage.isInstance(last) ? last.id : undefined
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function objects(value: unknown): object[] {
  return typeof value === 'object' && value !== null ? [value] : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
