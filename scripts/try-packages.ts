// Packs every published package, installs the tarballs into an empty project outside the workspace, and uses them there,
// as a new user does.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Versions of peers with wide ranges, as in a new project. Other peers use their declared range. */
const PEERS: Readonly<Record<string, string>> = { '@nestjs/platform-express': '^12', express: '^5' }

/** The project's program. It loads every package as users do, speaks a sentence and transcribes it. */
const PROGRAM = `
import { createRequire } from 'node:module'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { transcribeUpload, speak } from '@svc-audio/express-middleware'
import { createSpeechTools, folderAudioStore } from '@svc-audio/langchain-tools'
import { AudioModule } from '@svc-audio/nestjs'
import { receiveUpload } from '@svc-audio/upload'
import { narration } from '@svc-audio/vite-plugin'
import { PureAudioClient } from '@svc-audio/core/pure'
import { SseDecoder } from '@svc-audio/core/streaming'

const require = createRequire(import.meta.url)
const { SvcAudio } = require('n8n-nodes-svc-audio/dist/nodes/SvcAudio/SvcAudio.node.js')
const service = await startService({ dataDir: 'data', port: 0, apiKeys: new Map([['try-packages', 'try']]) })
const client = new AudioClient({ apiKey: 'try-packages', baseUrl: service.url })
const made = [
  transcribeUpload({ client, model: 'svc-transcribe-1.0' }), speak({ client, voice_id: 'rms' }), receiveUpload,
  ...createSpeechTools({ client, voice_id: 'rms', store: folderAudioStore('audio') }), AudioModule.forRoot({ apiKey: 'x', baseUrl: service.url }),
  narration({ voice_id: 'rms', client }), new SvcAudio().description, PureAudioClient, new SseDecoder(),
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

const root = dirname(import.meta.dirname)
const folder = mkdtempSync(join(tmpdir(), 'svc-audio-packages-'))
try {
  const tarballs = join(folder, 'tarballs')
  const project = join(folder, 'project')
  mkdirSync(tarballs)
  mkdirSync(project)
  const dependencies: Record<string, string> = { ...PEERS }
  const overrides: Record<string, string> = {}
  for (const path of globSync('{packages,apps}/*/package.json', { cwd: root })) {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
    if (manifest.private === true) continue
    const tarball = join(tarballs, `${manifest.name.replace(/\W+/g, '-')}.tgz`)
    execFileSync('pnpm', ['pack', '--out', tarball], { cwd: join(root, dirname(path)), stdio: 'pipe' })
    for (const [name, range] of Object.entries(manifest.peerDependencies ?? {})) dependencies[name] ??= range
    dependencies[manifest.name] = `file:${tarball}`
    overrides[manifest.name] = `$${manifest.name}`
    console.log(`packed     ${manifest.name}`)
  }
  const manifest = { name: 'try-packages', private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, undefined, 2))
  writeFileSync(join(project, 'main.js'), PROGRAM)
  console.log('installing …')
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error']
  execFileSync('npm', install, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync(process.execPath, ['main.js'], { cwd: project, stdio: 'inherit' })
  console.log('every package works outside the workspace')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
