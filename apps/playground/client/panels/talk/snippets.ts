import { literal, type Snippet } from '../../code/snippet.ts'

/** Code of a server whose page talks with an agent. @param voice The voice that answers. */
export function talkSnippets(voice: string): readonly Snippet[] {
  return [
    {
      kind: 'langchain',
      title: 'LangChain',
      file: 'server.mts',
      install:
        'npm install @svc-audio/voice @svc-audio/silero-vad @svc-audio/onnx-runtime @svc-audio/langchain-tools @svc-audio/core ws express langchain @langchain/core @langchain/openai zod',
      environment: ['export OPENAI_API_KEY=…'],
      run: 'node server.mts',
      code: `import { AudioClient } from '@svc-audio/core'
import { voiceAgent } from '@svc-audio/langchain-tools/voice'
import { VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'
import express from 'express'
import { createAgent } from 'langchain'

const client = new AudioClient()
const agent = createAgent({
  model: 'openai:gpt-5-mini', // or another provider's model
  systemPrompt: 'Answer in one or two plain sentences. Your answer is spoken.',
})
const app = express()
app.use('/voice-client', express.static('node_modules/@svc-audio/voice/dist'))
app.get('/', (_request, response) => {
  response.send(\`<!doctype html>
<title>Talk</title>
<button>Talk</button>
<p></p>
<script type="module">
  import { VoiceClient } from '/voice-client/browser/index.js'

  const show = (text) => (document.querySelector('p').textContent = text)
  const client = new VoiceClient({
    onEvent: (event) => {
      if (event.type === 'stt_output') show('You: ' + event.transcript)
      if (event.type === 'agent_end') show('Agent: ' + event.text)
    },
    onEnd: ({ reason }) => show(reason),
  })
  document.querySelector('button').addEventListener('click', () => client.start())
</script>\`)
})
const server = app.listen(Number(process.env.PORT ?? 3000))
attachVoice(server, { voice: new VoiceServer(voiceAgent({ client, voice_id: ${literal(voice)}, agent })) })
`,
    },
  ]
}
