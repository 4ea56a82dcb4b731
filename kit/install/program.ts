import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output } from '../hosts/index.ts'

/** Versions of peers with wide ranges, as in a new project. Other peers use their declared range. */
const PEERS: Readonly<Record<string, string>> = { '@nestjs/platform-express': '^12', express: '^5' }

/** A program of a new project. It loads every package as users do, speaks a sentence and transcribes it. */
const PROGRAM = `
import { createRequire } from 'node:module'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { transcribeUpload, speak } from '@svc-audio/express-middleware'
import { createSvcAudio } from '@svc-audio/ai-sdk'
import { createSpeechTools as createAiSdkTools } from '@svc-audio/ai-sdk/tools'
import { audio } from '@svc-audio/fastify'
import { speak as speakInHono } from '@svc-audio/hono'
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { AudioModule } from '@svc-audio/nestjs'
import { receiveUpload } from '@svc-audio/upload'
import { narration } from '@svc-audio/vite-plugin'
import { VoiceServer } from '@svc-audio/voice'
import { voiceAgent } from '@svc-audio/langchain-tools/voice'
import { PureAudioClient } from '@svc-audio/core/pure'
import { SseDecoder } from '@svc-audio/core/streaming'

const require = createRequire(import.meta.url)
const { SvcAudio } = require('n8n-nodes-svc-audio/dist/nodes/SvcAudio/SvcAudio.node.js')
const service = await startService({ dataDir: 'data', port: 0, apiKeys: new Map([['try-packages', 'try']]) })
const client = new AudioClient({ apiKey: 'try-packages', baseUrl: service.url })
const made = [
  transcribeUpload({ client, model: 'svc-transcribe-1.0' }), speak({ client, voice_id: 'rms' }), receiveUpload,
  audio, speakInHono({ client, voice_id: 'rms' }),
  createSvcAudio({ client }).speech('svc-tts-1.5-flash'),
  ...Object.values(createAiSdkTools({ client, voice_id: 'rms', store: folderAudioStore('audio') })),
  ...createSpeechTools({ client, voice_id: 'rms', store: folderAudioStore('audio') }), AudioModule.forRoot({ apiKey: 'x', baseUrl: service.url }),
  narration({ voice_id: 'rms', client }), new SvcAudio().description, PureAudioClient, new SseDecoder(),
  new VoiceServer(voiceAgent({ client, voice_id: 'rms', agent: { stream: async () => [] } })),
]
if (made.some((one) => one === undefined)) throw new Error('A package exports nothing')
const text = 'The train to the coast leaves at seven in the morning.'
await (await client.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms' })).saveTo('speech.wav')
const heard = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: 'speech.wav' })
await client.close()
await service.close()
if (wordErrorRate(text, heard.text) > 0.15) throw new Error('Heard: ' + heard.text)
console.log('heard: ' + heard.text)
`

/** What {@link runInstalled} installs: names to versions or ranges. */
export interface Installed {
  readonly ours: Readonly<Record<string, string>>
  readonly peers: Readonly<Record<string, string>>
  /** Variables of the registry. */
  readonly env: Readonly<Record<string, string>>
  /** Node program. @default the Node of this process */
  readonly node?: string
}

/**
 * Installs packages with their peers in one new project, and runs {@link PROGRAM} there.
 * @returns What the program printed
 * @throws Error with the output of a command that fails
 */
export async function runInstalled(folder: string, installed: Installed): Promise<string> {
  const { ours, peers, env, node = process.execPath } = installed
  await mkdir(folder)
  const dependencies = { ...peers, ...PEERS, ...ours }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await writeFile(join(folder, 'main.js'), PROGRAM)
  // Ranges of peers overlap where a user chooses one framework.
  const install = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await output('npm', install, { cwd: folder, env, node })
  return (await output(node, ['main.js'], { cwd: folder, env, node })).trim()
}
