import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject, freePort, type RunningProgram, start } from '@svc-audio/kit/hosts'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Routes of `next start` on both of its runtimes, with the packed package in an empty project.

const route = (runtime: string): string => `import { runJobs } from '../../jobs.mjs'

export const dynamic = 'force-dynamic'
export const runtime = '${runtime}'

export async function GET(request) {
  const { searchParams } = new URL(request.url)
  return Response.json(await runJobs({ apiKey: searchParams.get('key'), baseUrl: searchParams.get('url') }))
}
`

let project: CleanProject
let upstream: TestUpstream
let app: RunningProgram
let address = ''

beforeAll(async () => {
  project = await cleanProject({
    packages: ['@svc-audio/core'],
    manifest: { type: 'module' },
    dependencies: { next: '^16.4.6', react: '^19.3.0', 'react-dom': '^19.3.0' },
    files: {
      'jobs.mjs': await readFile(join(import.meta.dirname, '../test-hosts/support/jobs.mjs'), 'utf8'),
      'app/layout.jsx':
        'export default function Layout({ children }) {\n  return <html><body>{children}</body></html>\n}\n',
      'app/edge/route.js': route('edge'),
      'app/node/route.js': route('nodejs'),
    },
  })
  // A stream of 200 events.
  upstream = await createTestUpstream({ speechSeconds: 1, chunkBytes: 240 })
  const { exitCode, stdout, stderr } = await project.run('next', ['build'], { NEXT_TELEMETRY_DISABLED: '1' })
  if (exitCode !== 0) throw new Error(`next build failed:\n${stdout}\n${stderr}`)
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  const next = join(project.folder, 'node_modules/.bin/next')
  app = await start(next, ['start', '-p', String(port)], { cwd: project.folder, ready: /Ready/ })
})
afterAll(async () => {
  await app.stop()
  await upstream.close()
  await project[Symbol.asyncDispose]()
})

test.each(['edge', 'node'])('a route of Next.js on %s does every job, and no chunk follows an abort', async (kind) => {
  const response = await fetch(`${address}/${kind}?key=${upstream.apiKey}&url=${upstream.url}`)
  expect(JSON.parse(await response.text())).toEqual({ passed: 20, faults: [], aborts: [] })
})
