// The OpenAI API of the service, called by Python libraries from the registry. Prints a table of client and call. It fails
// when a call does. A client that pip does not reach is shown, and is no failure. An argument names one client.
// SVC_AUDIO_PYTHON_ENVIRONMENTS is a folder that keeps the environments, one with the name of each client.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { KEY, startTestService } from '../test/support/test-service.ts'

const SCRIPT = join(import.meta.dirname, 'python-clients.py')

/** The commit of version 0.4.1. */
const WYOMING_OPENAI = '614b6dfa0915a7de90560da456582da58fae1b7d'

/** What pip installs for each client. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  openai: ['openai[realtime]'],
  litellm: ['litellm'],
  'livekit-plugins-openai': ['livekit-agents', 'livekit-plugins-openai'],
  'pipecat-ai': ['pipecat-ai[openai]', 'websockets', 'pytest'],
  // It is not on PyPI, and needs Python 3.12.
  'wyoming-openai': [`wyoming-openai @ https://github.com/roryeckel/wyoming_openai/archive/${WYOMING_OPENAI}.tar.gz`],
}

const Row = z.object({ client: z.string(), call: z.string(), ok: z.boolean(), detail: z.string() })

const run = promisify(execFile)

/** What a failed program has printed. */
function outputOf(error: unknown): { readonly stdout: string; readonly stderr: string } {
  return z.object({ stdout: z.string(), stderr: z.string() }).parse(error)
}

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-python-'))
const service = await startTestService({
  openaiApi: true,
  openaiOpenLists: true,
  openaiVoiceList: 'names',
  requestsAtOncePerTenant: 4,
})
const base = `${service.url}/openai/v1`
let failures = 0
try {
  const wav = join(folder, 'said.wav')
  await writeFile(`${wav}.txt`, 'good morning')
  const input = 'Good morning. Your order is ready to be collected.'
  const body = { model: 'svc-tts-1.5-flash', input, voice_id: 'rms', response_format: 'wav' }
  const spoken = await service.request('POST', '/v1/audio/speech', body, { 'idempotency-key': 'one' })
  await writeFile(wav, new Uint8Array(await spoken.arrayBuffer()))
  const [chosen] = process.argv.slice(2)
  const clients = Object.entries(CLIENTS).filter(([client]) => chosen === undefined || client === chosen)
  for (const [client, packages] of clients) failures += await check(client, packages, wav)
} finally {
  await service.close()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

/** Installs a client in an environment of its own, and prints its calls. Returns the number of failed ones. */
async function check(client: string, packages: readonly string[], wav: string): Promise<number> {
  const own = process.env['SVC_AUDIO_PYTHON_ENVIRONMENTS']
  const environment = own === undefined ? join(folder, client) : join(own, client)
  const python = join(environment, 'bin/python')
  try {
    await run('python3', ['-m', 'venv', environment])
    await run(python, ['-m', 'pip', 'install', '--quiet', ...packages])
  } catch {
    console.log(`| ${client} | | pip does not reach it |`)
    return 0
  }
  // The service runs in this process: nothing may block it.
  const { stdout, stderr } = await run(python, [SCRIPT, client, base, KEY, wav]).catch(outputOf)
  const rows = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"client"'))
    .map((line) => Row.parse(JSON.parse(line)))
  for (const { call, ok, detail } of rows) console.log(`| ${client} | ${call} | ${ok ? 'ok' : detail} |`)
  if (rows.length === 0) console.log(`| ${client} | | ${stderr.trim().split('\n').at(-1) ?? 'no call'} |`)
  return rows.length === 0 ? 1 : rows.filter(({ ok }) => !ok).length
}
