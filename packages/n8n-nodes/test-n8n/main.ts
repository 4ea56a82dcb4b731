import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { packInto } from './pack.ts'
import { installN8n, N8N_VERSION } from './install-n8n.ts'
import { n8nHome } from './n8n-home.ts'
import { CREDENTIALS_ID, speakAndListen, WORKFLOW_ID } from './workflow.ts'

const USAGE = 'Usage: node packages/n8n-nodes/test-n8n/main.ts [--cache <folder for n8n itself, 2.7 GB>]'
const TEXT = 'The train to the coast leaves at seven in the morning.'
const KEY = 'real-n8n-test-key'

/**
 * The packed package in the real n8n, without its editor: a workflow speaks a sentence and transcribes what it spoke.
 * n8n is installed once, outside of the repository, which takes minutes; everything else is made anew and removed.
 */
async function main(cache: string): Promise<string> {
  const began = performance.now()
  const n8n = await installN8n(cache, print)
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-real-n8n-'))
  const dataDir = join(folder, 'service')
  const service = await startService({ dataDir, port: 0, apiKeys: new Map([[KEY, 'tenant']]), logLevel: 'silent' })
  const direct = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  try {
    const home = await n8nHome(n8n, join(folder, 'home'))
    print('packing and installing the package')
    await packInto(home.packageFolder('n8n-nodes-svc-audio'))
    print('importing credentials and workflow')
    const data = { apiKey: KEY, baseUrl: service.url }
    await home.importCredentials({ id: CREDENTIALS_ID, name: 'Svc Audio API', type: 'svcAudioApi', data })
    await home.importWorkflow(speakAndListen(TEXT))
    print('executing')
    const run = await home.execute(WORKFLOW_ID)
    const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' }
    const sent = await direct.speech.create(body).then((audio) => audio.bytes())
    const kept = await home.readBinary(run.binary('Speak', 'data'))
    if (Buffer.compare(kept, sent) !== 0) throw new Error('n8n keeps another WAV than the service sends')
    const transcript = String(run.json('Listen')['text'])
    const rate = wordErrorRate(TEXT, transcript)
    if (rate > 0.15) throw new Error(`n8n heard "${transcript}", a word error rate of ${rate}`)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const what = `WAV of ${kept.byteLength} bytes identical, heard "${transcript}" (word error rate ${rate.toFixed(2)})`
    return `n8n ${N8N_VERSION} on Node ${process.versions.node}: ${what}, in ${seconds} s`
  } finally {
    await direct.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function print(line: string): void {
  process.stdout.write(`test:n8n: ${line}\n`)
}

try {
  const { values } = parseArgs({ options: { cache: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help === true) print(USAGE)
  else print(`passed: ${await main(values.cache ?? join(tmpdir(), `svc-audio-n8n-${N8N_VERSION}`))}`)
} catch (error) {
  print(`failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
