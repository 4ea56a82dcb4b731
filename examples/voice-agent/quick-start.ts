import { AudioClient } from '@svc-audio/core'
import { voiceAgent } from '@svc-audio/langchain-tools/voice'
import { VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'
import express from 'express'
import { createAgent } from 'langchain'

const client = new AudioClient() // SVC_AUDIO_API_KEY and SVC_AUDIO_BASE_URL
const agent = createAgent({
  model: 'openai:gpt-5-mini', // OPENAI_API_KEY, or another provider's model
  systemPrompt: 'Answer in one or two plain sentences. Your answer is spoken.',
})
const app = express()
app.use(express.static('public'))
app.use('/svc-audio-voice', express.static('node_modules/@svc-audio/voice/dist'))
const server = app.listen(3000)
attachVoice(server, { voice: new VoiceServer(voiceAgent({ client, voice_id: 'rms', agent })) })
