import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { initChatModel } from 'langchain'

/**
 * Creates the model in `EXAMPLE_CHAT_MODEL`, such as `openai:gpt-5`. Install its LangChain package first. Without the
 * variable, returns a scripted model, which needs no account. It calls `transcribe` and answers from the transcript.
 */
export async function chatModel(): Promise<ReturnType<typeof fakeModel> | Awaited<ReturnType<typeof initChatModel>>> {
  const { EXAMPLE_CHAT_MODEL: name } = process.env
  if (name !== undefined) return initChatModel(name)
  return fakeModel()
    .respond((messages) => {
      const audio = /reference (\S+)\. /.exec(messages.at(-1)?.text ?? '')?.[1]
      return new AIMessage({ content: '', tool_calls: [{ name: 'transcribe', args: { audio }, id: '1' }] })
    })
    .respond((messages) => {
      const transcript = messages.findLast((message) => ToolMessage.isInstance(message))?.text ?? ''
      const when = /\bleaves (.*?)[.!]?$/im.exec(transcript)?.[1] ?? transcript
      return new AIMessage(`**The train** leaves ${when}.`)
    })
}
