import { cleanProject } from '@svc-audio/kit/hosts'
import { expect, test } from 'vitest'

/** An agent of deepagents that delegates fifty times: in parallel, then one after the other. */
const PROGRAM = `import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import { memoryAudioStore, SpeechToolkit } from '@svc-audio/langchain-tools'
import { createTestUpstream } from '@svc-audio/testing'
import { createDeepAgent } from 'deepagents'

const upstream = await createTestUpstream()
const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
const toolkit = new SpeechToolkit({ client, voice_id: 'rms', store: memoryAudioStore(), maxCharactersPerRun: 100 })
const order = (id) => ({ name: 'task', args: { description: 'Say it.', subagent_type: 'speaker' }, id })
const ids = Array.from({ length: 50 }, (_, index) => 'order-' + index)
const main = fakeModel()
for (const step of [ids.slice(0, 20), ...ids.slice(20).map((id) => [id])]) {
  main.respond(new AIMessage({ content: '', tool_calls: step.map(order) }))
}
main.respond(new AIMessage('Done.'))
const speaker = fakeModel()
for (let turn = 0; turn < 200; turn += 1) {
  speaker.respond((messages) => {
    const last = messages.at(-1)
    if (ToolMessage.isInstance(last)) return new AIMessage(last.text)
    return new AIMessage({ content: '', tool_calls: [{ name: 'speak', args: { text: 'Ten chars.' }, id: 'say-' + turn }] })
  })
}
const agent = createDeepAgent({
  model: main,
  subagents: [{ name: 'speaker', description: 'Speaks.', systemPrompt: 'Speak.', tools: [toolkit.speak], model: speaker }],
})
const { messages } = await agent.invoke({ messages: [new HumanMessage('Delegate.')] }, { recursionLimit: 1000 })
const results = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
const spoken = results.filter((text) => text.startsWith('Spoken')).length
console.log(JSON.stringify({ results: results.length, spoken, requests: upstream.requests.length }))
await client.close()
await upstream.close()
`

test('a prompt that orders fifty delegations of deepagents stops at the limit of the run', async () => {
  await using project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/langchain-tools', '@svc-audio/testing'],
    dependencies: { '@langchain/core': '^1.4.0', deepagents: '^1.14.1', langchain: '^1.5.14', zod: '^4.0.0' },
    manifest: { type: 'module' },
    files: { 'program.js': PROGRAM },
  })
  const { exitCode, stdout, stderr } = await project.run('node', ['program.js'])
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual({ results: 50, spoken: 10, requests: 10 })
})
