import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { Command, isInterrupted, MemorySaver } from '@langchain/langgraph'
import type { AudioClient } from '@svc-audio/core'
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { createAgent, humanInTheLoopMiddleware } from 'langchain'

/** Runs an agent that speaks only what a person approves. */
export async function announce(
  { model, client, folder }: { model: BaseChatModel; client: AudioClient; folder: string },
  ask: (text: unknown) => Promise<boolean>,
): Promise<BaseMessage[]> {
  const agent = createAgent({
    model,
    tools: createSpeechTools({ client, voice_id: 'rms', store: folderAudioStore(folder) }),
    checkpointer: new MemorySaver(),
    middleware: [
      humanInTheLoopMiddleware({ interruptOn: { speak: { allowedDecisions: ['approve', 'edit', 'reject'] } } }),
    ],
  })
  const config = { configurable: { thread_id: 'call-7' } }
  const stopped = await agent.invoke({ messages: ['Announce the delay.'] }, config)
  if (!isInterrupted(stopped)) return stopped.messages

  const last = stopped.messages.findLast((message) => AIMessage.isInstance(message))
  const approved = await ask(last?.tool_calls?.[0]?.args['text'])
  const decision = approved ? { type: 'approve' } : { type: 'reject', message: 'Do not announce it yet.' }
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [decision] } }), config)
  return messages
}
