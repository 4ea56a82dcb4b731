import { ConfigurationError } from '@svc-audio/core'

/**
 * A checkpointer keeps the whole answer, and the conversation what was heard of it: the model would be shown both.
 * @throws ConfigurationError for an agent with a checkpointer
 */
export function refuseCheckpointer(agent: unknown, owner: string): void {
  const hasOne = typeof agent === 'object' && agent !== null && Boolean(Reflect.get(agent, 'checkpointer'))
  if (!hasOne) return
  throw new ConfigurationError(
    `${owner}: \`agent\` has a checkpointer, which keeps whole answers beside the interrupted ones. Make the agent without \`checkpointer\`: the VoiceConversation holds the history. To keep it, store its \`messages\` after each turn`,
  )
}
