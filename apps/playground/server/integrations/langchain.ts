import { readFile } from 'node:fs/promises'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import type { SpeakArtifact, TranscribeArtifact } from '@svc-audio/langchain-tools'
// #region shown
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { createAgent } from 'langchain'
// #endregion
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Runs an agent with a scripted model, which needs no account. The agent speaks, then transcribes the reference. */
export async function run({ text, voice_id, client, folder, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  const model = fakeModel()
    .respondWithTools([{ name: 'speak', args: { text }, id: '1' }])
    .respond((messages) => {
      const audio = /Reference: (\S+)/.exec(messages.at(-1)?.text ?? '')?.[1]
      return new AIMessage({ content: '', tool_calls: [{ name: 'transcribe', args: { audio }, id: '2' }] })
    })
    .respond((messages) => new AIMessage(`I said: ${messages.at(-1)?.text}`))
  // #region shown
  const store = folderAudioStore(folder)
  const tools = createSpeechTools({ client, voice_id, store })
  const agent = createAgent({ model, tools })

  const question = 'Say it, then check what you said.'
  const { messages } = await agent.invoke({ messages: [question] }, { signal })
  // #endregion
  const [spoken, heard] = messages.filter((message) => ToolMessage.isInstance(message))
  if (spoken?.status !== 'success' || heard?.status !== 'success') {
    throw new Error(`A tool failed: ${(spoken?.status === 'success' ? heard : spoken)?.text}`)
  }
  const { id, contentType }: SpeakArtifact = spoken.artifact
  const path = (await store.pathOf(id)) ?? ''
  const { text: transcript }: TranscribeArtifact = heard.artifact
  const steps = [spoken, heard].map(({ name, text: response }) => `${name}: ${response}`)
  return { audio: { bytes: await readFile(path), type: contentType }, transcript, steps }
}
