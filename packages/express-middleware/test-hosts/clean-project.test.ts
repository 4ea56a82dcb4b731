import { type CleanProject, cleanProject, nodeBinary, type NodeMajor, run } from '@svc-audio/kit/hosts'
import { createTestUpstream, TEST_API_KEY, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** A user's program, with an annotated handler and one without annotation. */
const APP = `
import { AudioClient } from '@svc-audio/core'
import { audioErrors, forwardUpload, speak, type TranscribedRequest, transcribeUpload } from '@svc-audio/express-middleware'
import express, { type Request, type Response } from 'express'

const client = new AudioClient({ apiKey: process.env['KEY'] ?? '', baseUrl: process.env['UPSTREAM'] ?? '' })
const app = express()
app.post('/speak', express.json(), speak({ client, voice_id: 'rms', response_format: (req) => String(req.query['format'] ?? 'wav') }))
app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
  res.json({ text: req.transcription.text, bytes: req.upload.bytes })
})
app.post('/annotated', transcribeUpload({ client }), (req: TranscribedRequest, res: Response) => {
  res.json({ text: req.transcription.text, path: req.path })
})
app.post('/files', forwardUpload({
  maxFileSize: (req: Request) => (req.headers['x-plan'] === 'large' ? 500_000_000 : 1_000_000),
  call: ({ file, options }) => client.files.create({ file }, options),
  answer: (file, _req, res) => { res.status(201).json(file.id) },
}))
app.use(audioErrors({ format: ({ code, message }) => ({ type: code, title: message }) }))

const server = app.listen(0, '127.0.0.1', () => void tryIt())

async function tryIt(): Promise<void> {
  const address = server.address()
  const url = 'http://127.0.0.1:' + (typeof address === 'object' && address !== null ? address.port : '')
  const form = (): FormData => {
    const data = new FormData()
    data.append('file', new Blob(['RIFF....WAVEfmt ']), 'a.wav')
    return data
  }
  const answers: unknown[] = []
  for (const path of ['/transcribe', '/annotated', '/files', '/speak']) {
    const body = path === '/speak' ? '{}' : form()
    const headers: Record<string, string> = path === '/speak' ? { 'content-type': 'application/json' } : {}
    const response = await fetch(url + path, { method: 'POST', body, headers })
    answers.push([response.status, await response.json()])
  }
  console.log(JSON.stringify(answers))
  server.close()
  server.closeAllConnections()
  await client.close()
}
`

const EXPECTED = [
  [200, { text: 'hello', bytes: 16 }],
  [200, { text: 'hello', path: '/annotated' }],
  [201, expect.any(String)],
  [400, { type: 'missing_text', title: expect.stringContaining('Send `text`') as string }],
]

/** Usual compiler settings besides `strict`. Libraries are checked too. */
const COMPILERS: Readonly<Record<string, readonly string[]>> = {
  nodenext: ['--module', 'nodenext'],
  node16: ['--module', 'node16'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
}

let upstream: TestUpstream
let projects: readonly CleanProject[] = []
beforeAll(async () => {
  upstream = await createTestUpstream({ apiKey: TEST_API_KEY, transcript: 'hello' })
  const shared = { packages: ['@svc-audio/core', '@svc-audio/express-middleware'], files: { 'app.ts': APP } }
  const tools = { typescript: '^5.9.3', '@types/node': '^22.19.0' }
  projects = await Promise.all([
    cleanProject({
      ...shared,
      manifest: { type: 'module' },
      dependencies: { ...tools, express: '^5.1.0', '@types/express': '^5.0.5' },
    }),
    cleanProject({
      ...shared,
      manifest: { type: 'commonjs' },
      dependencies: { ...tools, express: '^4.21.2', '@types/express': '^4.17.25' },
    }),
  ])
})
afterAll(async () => {
  for (const project of projects) await project[Symbol.asyncDispose]()
  await upstream.close()
})

describe.each([
  [0, 'an ES module on Express 5'],
  [1, 'CommonJS on Express 4'],
])('project %i, %s', (index) => {
  const project = (): CleanProject => {
    const found = projects[index]
    if (found === undefined) throw new Error('The project was not made')
    return found
  }

  test.each(Object.keys(COMPILERS))('compiles with %s, target ES2021 and checked libraries', async (name) => {
    const options = [
      '--strict',
      '--target',
      'es2021',
      '--skipLibCheck',
      'false',
      '--esModuleInterop',
      '--types',
      'node',
    ]
    const args = ['app.ts', ...options, ...(COMPILERS[name] ?? []), '--outDir', `dist-${name}`]
    const { exitCode, stdout } = await project().run('tsc', args)
    expect(stdout).toBe('')
    expect(exitCode).toBe(0)
  })

  test.each<NodeMajor>([22, 24, 26])('runs on Node %i', async (major) => {
    const node = await nodeBinary(major)
    const env = { KEY: TEST_API_KEY, UPSTREAM: upstream.url }
    const { stdout, stderr } = await run(node, ['dist-nodenext/app.js'], { cwd: project().folder, env })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(EXPECTED)
  })
})
