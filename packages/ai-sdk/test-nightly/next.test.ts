import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanProject, type CleanProject, freePort, type RunningProgram, start } from '@svc-audio/kit/hosts'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const KEY = 'next-key'
const TEXT = 'The train to the coast leaves at seven in the morning.'

/** The app of the recipe. */
const APP = join(import.meta.dirname, '../../../examples/ai-sdk/app')
const PAGES = ['page.tsx', 'api/chat/route.ts', 'api/transcribe/route.ts', 'api/speech/route.ts']

/** Next wants a layout. */
const LAYOUT = `import type { ReactNode } from 'react'
export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>
}
`

let folder: string
let service: RunningService
let project: CleanProject
let app: RunningProgram
let address: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-next-'))
  service = await startService({ dataDir: folder, port: 0, apiKeys: new Map([[KEY, 'next']]) })
  const files: Record<string, string> = { 'app/layout.tsx': LAYOUT }
  for (const page of PAGES) files[`app/${page}`] = await readFile(join(APP, page), 'utf8')
  const edge = "export const runtime = 'edge'\n"
  files['app/api/edge/transcribe/route.ts'] = edge + (files['app/api/transcribe/route.ts'] ?? '')
  // The edge runtime of Next has no `AbortSignal.any`, which the AI SDK needs for the signal of a stream.
  files['app/api/edge/speech/route.ts'] =
    edge + (files['app/api/speech/route.ts'] ?? '').replace(/.*abortSignal.*\n/, '')
  project = await cleanProject({
    packages: ['@svc-audio/ai-sdk'],
    dependencies: {
      '@ai-sdk/react': '^4.0.177',
      '@types/node': '^24.0.0',
      '@types/react': '^19.0.0',
      ai: '^7.0.173',
      next: '^16.0.0',
      react: '^19.0.0',
      'react-dom': '^19.0.0',
      typescript: '^5.9.0',
      zod: '^4.1.8',
    },
    files,
  })
  const env = { NEXT_TELEMETRY_DISABLED: '1', SVC_AUDIO_API_KEY: KEY, SVC_AUDIO_BASE_URL: service.url }
  const built = await project.run('next', ['build'], env)
  if (built.exitCode !== 0) throw new Error(built.stdout + built.stderr)
  const port = await freePort()
  const next = join(project.folder, 'node_modules/next/dist/bin/next')
  app = await start(process.execPath, [next, 'start', '-p', String(port)], {
    cwd: project.folder,
    env,
    ready: /Ready in/,
  })
  address = `http://localhost:${port}`
})
afterAll(async () => {
  await app.stop()
  await project[Symbol.asyncDispose]()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

test('the page of the voice chat renders', async () => {
  const page = await fetch(address)
  expect(await page.text()).toContain('Speak')
})

test.each(['api', 'api/edge'])('the routes under /%s speak a text and transcribe it', async (routes) => {
  const spoken = await fetch(`${address}/${routes}/speech`, { method: 'POST', body: TEXT })
  expect(spoken.headers.get('content-type')).toBe('audio/wav')
  const audio = await spoken.arrayBuffer()
  const heard = await fetch(`${address}/${routes}/transcribe`, { method: 'POST', body: audio })
  const body: unknown = await heard.json()
  expect(wordErrorRate(TEXT, String(Reflect.get(Object(body), 'text')))).toBeLessThanOrEqual(0.15)
})
