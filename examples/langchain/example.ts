// An agent transcribes a recording, answers a question about it, and speaks the answer into a file.
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import { folderAudioStore, SpeechToolkit } from '@svc-audio/langchain-tools'
import { spokenAnswerMiddleware } from '@svc-audio/langchain-tools/middleware'
import { wordErrorRate } from '@svc-audio/testing'
import { createAgent, initChatModel } from 'langchain'
import type { ExampleContext, ExampleOutcome } from '../run.ts'

const SAID = 'The train to the coast leaves at seven in the morning.'
const QUESTION = 'When does the train leave? Answer in one sentence.'

/** Runs an agent that listens and speaks. */
export async function run(service: ExampleContext): Promise<ExampleOutcome> {
  const client = new AudioClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })
  try {
    // The store writes audio to a folder. The model sees references only.
    const store = folderAudioStore(join(service.folder, 'audio'))
    const toolkit = new SpeechToolkit({ client, voice_id: 'rms', store })

    // A user's recording. Here the service speaks it.
    const speech = await client.speech.create({
      model: 'svc-tts-1.5-flash',
      input: SAID,
      voice_id: 'slt',
      response_format: 'wav',
    })
    const reference = await toolkit.storeAudio(speech, 'audio/wav')

    // The agent transcribes the recording with a tool. The middleware speaks the final answer.
    const agent = createAgent({
      model: await chatModel(),
      tools: toolkit.tools,
      middleware: [spokenAnswerMiddleware(toolkit)],
    })
    const { messages, spokenAnswer = [] } = await agent.invoke({
      messages: [`Listen to the recording with reference ${reference}. ${QUESTION}`],
    })

    const [spoken] = spokenAnswer
    const path = spoken && (await store.pathOf(spoken.id))
    if (spoken === undefined || path === undefined) throw new Error('The agent did not speak')
    const file = join(service.folder, 'answer.wav')
    await copyFile(path, file)

    // Transcribe the file to check its content.
    const response = messages.at(-1)?.text ?? ''
    const { text: transcript } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    const summary = `the agent answered “${response}” into answer.wav`
    const { durationSeconds: audioSeconds = 0 } = spoken
    return { audioSeconds, transcript, wordErrorRate: wordErrorRate(response, transcript), summary }
  } finally {
    await client.close()
  }
}

/**
 * Creates the model in `EXAMPLE_CHAT_MODEL`, such as `openai:gpt-5`. Install its LangChain package first. Without the
 * variable, returns a scripted model, which needs no account. It calls `transcribe` and answers from the transcript.
 */
async function chatModel(): Promise<ReturnType<typeof fakeModel> | Awaited<ReturnType<typeof initChatModel>>> {
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
