import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { expect, onTestFinished, test } from 'vitest'
import { callTool, KEY, textOf } from './support.ts'

const MAIN = join(import.meta.dirname, '../dist/main.js')
const SAID = 'He opened the door and walked into the room with a letter in his hand.'

test('the command speaks and transcribes for real over stdio, and ends with its client', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  const service = await startService({
    dataDir: join(folder, 'service'),
    port: 0,
    apiKeys: new Map([[KEY, 'tests']]),
    logLevel: 'silent',
  })
  onTestFinished(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, '--voice', 'rms', '--folder', join(folder, 'audio')],
    env: { SVC_AUDIO_API_KEY: KEY, SVC_AUDIO_BASE_URL: service.url },
  })
  await client.connect(transport)
  const spoken = await callTool(client, 'speak', { text: `# Letter\n\n${SAID}` })
  const { id } = spoken.structuredContent as { id: string }
  await expect(readdir(join(folder, 'audio'))).resolves.toEqual([id])
  const heard = await callTool(client, 'transcribe', { audio: id })
  const [uri] = heard.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []))
  const { contents } = await client.readResource({ uri: uri ?? '' })
  const [words] = contents
  const text = words !== undefined && 'text' in words ? words.text : ''
  expect(textOf(heard)).toContain(text)
  expect(wordErrorRate(`Letter. ${SAID}`, text)).toBeLessThanOrEqual(0.2)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has a property, and no addEventListener
  transport.onclose = resolve
  await client.close()
  await ended
})
