import { cleanProject, type CleanProject, run, start } from '@svc-audio/kit/hosts'
import { audioBytes, createTestUpstream, happy, stall, type TestUpstream, toneWav } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const TOKEN = 'token-of-the-mcp-server'

/** Lists, calls, hears of progress and of an error, cancels in flight, and calls again, with the official client. */
const CLIENT = `import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url] = process.argv.slice(2)
const command = { command: 'node_modules/.bin/svc-audio-mcp', args: ['--voice', 'voice-1', '--no-play'], env: process.env }
const requestInit = { headers: { authorization: 'Bearer ${TOKEN}' } }
const transport =
  url === undefined
    ? new StdioClientTransport(command)
    : new StreamableHTTPClientTransport(new URL(url), { requestInit })
const client = new Client({ name: 'clean', version: '1.0.0' })
await client.connect(transport)
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options)
const { tools } = await client.listTools()
const progress = []
const spoken = await call('speak', { text: 'Hello.' }, { onprogress: (report) => progress.push(report.progress) })
const heard = await call('transcribe', { audio: spoken.structuredContent.id })
const read = await call('read_transcript', { reference: spoken.structuredContent.id })
const wrong = await call('speak', {})
const stop = new AbortController()
const onprogress = () => stop.abort('enough')
const cancelled = await call('speak', { text: 'Cancel me.' }, { signal: stop.signal, onprogress }).catch(String)
const again = await call('speak', { text: 'Hello again.' })
await client.close()
console.log(JSON.stringify({ tools: tools.length, spoken, heard, read, wrong, cancelled, again, progress }))
`

let project: CleanProject
let upstream: TestUpstream
/** How each cancelled request ended upstream. */
let endings: Promise<string>[] = []

beforeAll(async () => {
  upstream = await createTestUpstream({ transcript: 'hello there' })
  // Progress is reported, and then nothing comes: only a cancellation ends the request.
  const endless = stall({ afterBytes: 600_000 }, audioBytes(toneWav(60), 'audio/wav'))
  upstream.on('POST /v1/audio/speech', async (exchange) => {
    await exchange.received()
    const { input } = exchange.request.json as { input: string }
    if (input !== 'Cancel me.') return happy(exchange)
    endings.push(exchange.request.closed())
    return endless(exchange)
  })
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

const env = (): Record<string, string> => ({
  SVC_AUDIO_API_KEY: upstream.apiKey,
  SVC_AUDIO_BASE_URL: upstream.url,
  SVC_AUDIO_MCP_TOKEN: TOKEN,
})

/** The packed command over HTTP. */
async function served(): Promise<AsyncDisposable & { readonly url: string }> {
  const args = ['--voice', 'voice-1', '--http', '--port', '0']
  const options = { cwd: project.folder, env: env(), ready: /listening on (http:\S+)/ }
  const server = await start('node_modules/.bin/svc-audio-mcp', args, options)
  const [, url = ''] = server.match
  return Object.assign(server, { url })
}

describe.each(['stdio', 'streamable HTTP'])('the packed command over %s', (kind) => {
  test("serves the official SDK's client: list, call, progress, errors, cancel", async () => {
    endings = []
    await using server = kind === 'stdio' ? undefined : await served()
    const args = server === undefined ? [] : [server.url]
    const { exitCode, stdout, stderr } = await project.run('node', ['client.js', ...args], env())
    // Over stdio, the client hands on what the server writes there: a line for each call that failed.
    expect(stderr).toMatch(server === undefined ? /^svc-audio-mcp: speak failed: invalid_arguments: .+\n$/ : /^$/)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      tools: 7,
      spoken: { content: [{ type: 'text' }, { type: 'resource_link' }] },
      heard: { content: [{ text: expect.stringContaining('\nhello there\n') }, {}] },
      read: { content: [{ text: expect.stringContaining('\nhello there\n') }] },
      wrong: { isError: true, structuredContent: { code: 'invalid_arguments' } },
      cancelled: expect.stringContaining('enough'),
      again: { structuredContent: { type: 'audio' } },
      progress: [expect.any(Number)],
    })
    await expect(Promise.all(endings)).resolves.toEqual(['closedByClient'])
  })

  test('serves the official inspector: list, call, errors', async () => {
    await using server = kind === 'stdio' ? undefined : await served()
    // The inspector hands on no environment by itself.
    const variables = Object.entries(env()).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const target =
      server === undefined
        ? ['node_modules/.bin/svc-audio-mcp', '--voice', 'voice-1', ...variables]
        : [server.url, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`]
    const inspect = (...args: string[]): ReturnType<CleanProject['run']> =>
      project.run('mcp-inspector', ['--cli', ...target, ...args])
    const callTool = (...args: string[]): ReturnType<CleanProject['run']> =>
      inspect('--method', 'tools/call', '--tool-name', 'speak', ...args)
    const listed = await inspect('--method', 'tools/list')
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('read_transcript') })
    const called = await callTool('--tool-arg', 'text=Hello.')
    expect(called).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Reference: audio_') })
    const wrong = await callTool('--tool-arg', 'text=🎉')
    expect(wrong).toMatchObject({ stdout: expect.stringContaining('"invalid_text"') })
    expect(wrong.stdout).toContain('"isError": true')
  })
})

test('npx starts it by the name of the package', async () => {
  const started = await run('npx', ['--no-install', '@svc-audio/mcp', '--version'], { cwd: project.folder })
  expect(started).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) })
})
