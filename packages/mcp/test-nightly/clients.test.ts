import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject, start } from '@svc-audio/kit/hosts'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const TOKEN = 'token-of-the-mcp-server'

/** Connects with the configuration as LangChain's MCP client reads it, and lists the tools. */
const ADAPTERS = `import { readFile } from 'node:fs/promises'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'

const client = new MultiServerMCPClient(JSON.parse(await readFile(process.argv[2], 'utf8')))
const tools = await client.getTools()
console.log(JSON.stringify(tools.map(({ name }) => name)))
await client.close()
`

let project: CleanProject
let upstream: TestUpstream
beforeAll(async () => {
  upstream = await createTestUpstream()
  project = await cleanProject({
    packages: ['@svc-audio/mcp'],
    dependencies: {
      '@langchain/core': '^1.4.0',
      '@langchain/mcp-adapters': '^1.0.0',
      '@modelcontextprotocol/inspector': '^2.12.0',
    },
    manifest: { type: 'module' },
    files: { 'adapters.js': ADAPTERS },
  })
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await upstream.close()
})

/** The block of a client in the documentation, with the values of this test. */
async function configOf(client: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../docs/clients.md'), 'utf8')
  const section = page.split(/^## /m).find((one) => one.startsWith(`${client}\n`)) ?? ''
  let [, block = ''] = /```json\n([\s\S]*?)```/.exec(section) ?? []
  const own = { '"-y", "@svc-audio/mcp", "--voice", "rms"': '"--no-install", "@svc-audio/mcp"', ...values }
  for (const [from, to] of Object.entries(own)) block = block.replaceAll(from, to)
  return block
}

const service = (): Record<string, string> => ({
  'http://127.0.0.1:8787': upstream.url,
  '"SVC_AUDIO_API_KEY": "…"': `"SVC_AUDIO_API_KEY": "${upstream.apiKey}"`,
  '${SVC_AUDIO_API_KEY}': upstream.apiKey,
  '${env:SVC_AUDIO_API_KEY}': upstream.apiKey,
})

test.each(['Claude Desktop', 'Claude Code', 'Cursor'])(
  'the inspector and the client of LangChain accept the configuration for %s, and list the tools',
  async (client) => {
    const file = `${client.replace(' ', '-')}.json`
    await writeFile(join(project.folder, file), await configOf(client, service()))
    const config = ['--config', file, '--server', 'svc-audio']
    const inspected = await project.run('mcp-inspector', ['--cli', ...config, '--method', 'tools/list'])
    expect(inspected).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('read_transcript') })
    const listed = await project.run('node', ['adapters.js', file])
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"transcribe"') })
  },
)

test('the client of LangChain accepts the configuration for HTTP with a token', async () => {
  await using server = await start('node_modules/.bin/svc-audio-mcp', ['--http', '--port', '0'], {
    cwd: project.folder,
    env: { SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url, SVC_AUDIO_MCP_TOKEN: TOKEN },
    ready: /listening on (http:\S+)/,
  })
  const [, url = ''] = server.match
  const values = { 'https://audio.example.com/mcp': url, 'Bearer …': `Bearer ${TOKEN}` }
  await writeFile(join(project.folder, 'http.json'), await configOf('HTTP with a token', values))
  const listed = await project.run('node', ['adapters.js', 'http.json'])
  expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"transcribe"') })
})

test('the configuration for VS Code asks for the key and starts the same command', async () => {
  const { inputs, servers } = JSON.parse(await configOf('VS Code')) as {
    inputs: { id: string; password: boolean }[]
    servers: Record<string, { type: string; command: string; env: Record<string, string> }>
  }
  expect(inputs).toMatchObject([{ id: 'svc-audio-key', password: true }])
  expect(servers['svc-audio']).toMatchObject({
    type: 'stdio',
    command: 'npx',
    env: { SVC_AUDIO_API_KEY: '${input:svc-audio-key}' },
  })
})
