import { cleanProject, type CleanProject } from '@svc-audio/hosts'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Lists, calls, cancels, hears of progress and of an error, with the official client over stdio. */
const CLIENT = `import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const transport = new StdioClientTransport({
  command: 'node_modules/.bin/svc-audio-mcp',
  args: ['--voice', 'rms'],
  env: process.env,
})
const client = new Client({ name: 'clean', version: '1.0.0' })
await client.connect(transport)
const { tools } = await client.listTools()
const progress = []
const onprogress = (report) => progress.push(report.progress)
const spoken = await client.callTool({ name: 'speak', arguments: { text: 'Hello.' } }, undefined, { onprogress })
const heard = await client.callTool({ name: 'transcribe', arguments: { audio: spoken.structuredContent.id } })
const wrong = await client.callTool({ name: 'speak', arguments: {} })
const cancelled = await client
  .callTool({ name: 'speak', arguments: { text: 'x' } }, undefined, { signal: AbortSignal.abort('enough') })
  .catch((error) => String(error))
await client.close()
console.log(JSON.stringify({ tools: tools.length, spoken, heard, wrong, cancelled, progress }))
`

let project: CleanProject
let upstream: TestUpstream

beforeAll(async () => {
  upstream = await createTestUpstream({ transcript: 'hello there' })
  project = await cleanProject({
    packages: ['@svc-audio/mcp'],
    dependencies: { '@modelcontextprotocol/sdk': '^1.32.2', '@modelcontextprotocol/inspector': '^2.12.0' },
    manifest: { type: 'module' },
    files: { 'client.js': CLIENT },
  })
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await upstream.close()
})

const env = (): Record<string, string> => ({ SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url })

test("the packed command serves the official SDK's client: list, call, progress, errors, cancel", async () => {
  const { exitCode, stdout, stderr } = await project.run('node', ['client.js'], env())
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    tools: 5,
    spoken: { content: [{ type: 'text' }, { type: 'resource_link' }] },
    heard: { content: [{ text: 'hello there' }, {}] },
    wrong: { isError: true, structuredContent: { code: 'invalid_arguments' } },
    cancelled: expect.stringContaining('enough'),
    progress: [expect.any(Number)],
  })
})

test('the official inspector lists and calls its tools', async () => {
  // The inspector hands on no environment by itself.
  const variables = Object.entries(env()).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const server = ['node_modules/.bin/svc-audio-mcp', '--voice', 'rms', ...variables]
  const inspect = (...args: string[]): ReturnType<CleanProject['run']> =>
    project.run('mcp-inspector', ['--cli', ...server, ...args])
  const listed = await inspect('--method', 'tools/list')
  expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('read_transcript') })
  const called = await inspect('--method', 'tools/call', '--tool-name', 'speak', '--tool-arg', 'text=Hello.')
  expect(called).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Reference: audio_') })
})
