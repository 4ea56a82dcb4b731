import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createTestUpstream } from '@svc-audio/testing'
import { expect, onTestFinished, test } from 'vitest'
import { callTool, temporaryFolder, textOf } from './support.ts'

const PACKAGE = join(import.meta.dirname, '..')

test('the bundle has a valid manifest, and its server speaks without any package beside it', async () => {
  const folder = await temporaryFolder()
  const [bundle, unpacked] = [join(folder, 'svc-audio.mcpb'), join(folder, 'unpacked')]
  await promisify(execFile)(process.execPath, [join(PACKAGE, 'scripts/build-bundle.ts'), bundle])
  await expect(unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true })).resolves.toBe(true)
  expect(validateManifest(join(unpacked, 'manifest.json'))).toBe(true)
  const upstream = await createTestUpstream()
  onTestFinished(() => upstream.close())
  const client = new Client({ name: 'tests', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(unpacked, 'server/main.js')],
      // An empty field of the form.
      env: {
        SVC_AUDIO_API_KEY: upstream.apiKey,
        SVC_AUDIO_BASE_URL: upstream.url,
        SVC_AUDIO_VOICE_ID: '',
        XDG_DATA_HOME: folder,
      },
    }),
  )
  const spoken = await callTool(client, 'speak', { text: 'Hello.' })
  expect(textOf(spoken)).toContain(`File: ${folder}`)
})

test('server.json names this package, its version and its variables', async () => {
  const read = async (file: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(PACKAGE, file), 'utf8')) as Record<string, unknown>
  const [server, manifest] = [await read('server.json'), await read('package.json')]
  expect(server).toMatchObject({
    name: manifest['mcpName'],
    version: manifest['version'],
    packages: [{ identifier: manifest['name'], version: manifest['version'], transport: { type: 'stdio' } }],
  })
  expect(String(server['description']).length).toBeLessThanOrEqual(100)
})
