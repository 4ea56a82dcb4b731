import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { initChatModel } from 'langchain'

/**
 * The model that `EXAMPLE_CHAT_MODEL` names, such as `openai:gpt-5`, whose LangChain package must be installed. Without
 * it a scripted model, which needs no account: it calls `transcribe`, then answers with the words of the transcript.
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
      const when = /\bleaves (.*?)[.!]?$/i.exec(transcript)?.[1] ?? transcript
      return new AIMessage(`**The train** leaves ${when}.`)
    })
}
