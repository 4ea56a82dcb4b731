// A LangChain agent that speaks a sentence, then listens to what it said.
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import {
  createSpeechTools,
  folderAudioStore,
  type SpeakArtifact,
  type TranscribeArtifact,
} from '@svc-audio/langchain-tools'
import { wordErrorRate } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'

/** Lets an agent speak and listen. */
export async function run(service: ExampleContext): Promise<ExampleOutcome> {
  const client = new AudioClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })

  // The tools: voice and key stay here, audio goes into a folder, and the model sees only references to it.
  const tools = createSpeechTools({ client, voice_id: 'rms', store: folderAudioStore(service.folder) })

  // Any chat model that calls tools will do. This scripted one needs no account: it asks for `speak`, reads the
  // reference in the answer, and asks for `transcribe`.
  const model = fakeModel()
    .respondWithTools([{ name: 'speak', args: { text: TEXT }, id: '1' }])
    .respond((messages) => {
      const audio = /Reference: (\S+)/.exec(messages.at(-1)?.text ?? '')?.[1]
      return new AIMessage({ content: '', tool_calls: [{ name: 'transcribe', args: { audio }, id: '2' }] })
    })
    .respond((messages) => new AIMessage(`I said: ${messages.at(-1)?.text}`))

  try {
    const agent = createAgent({ model, tools })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Announce the train, then check it.')] })

    // What the application gets beside the conversation: where the audio lies, and the whole transcript.
    const [spoken, heard] = messages.filter((message) => ToolMessage.isInstance(message))
    if (spoken?.status !== 'success' || heard?.status !== 'success') {
      throw new Error(`The agent failed: ${spoken?.text} ${heard?.text}`)
    }
    const { durationSeconds: audioSeconds = 0, bytes }: SpeakArtifact = spoken.artifact
    const { text: transcript }: TranscribeArtifact = heard.artifact
    const summary = `the agent kept ${bytes} bytes of speech and answered "${messages.at(-1)?.text}"`
    return { audioSeconds, transcript, wordErrorRate: wordErrorRate(TEXT, transcript), summary }
  } finally {
    await client.close()
  }
}
