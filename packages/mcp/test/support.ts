import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { type CallToolResult, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { memoryAudioStore } from '@svc-audio/agent-tools'
import { AudioClient } from '@svc-audio/core'
import { type ScriptedResponse, createTestUpstream, happy, type TestUpstream } from '@svc-audio/testing'
import { expect, onTestFinished } from 'vitest'
import { createSpeechServer, type SpeechServerOptions } from '../src/index.ts'

/** The key of every client. No answer may hold it. */
export const KEY = 'secret-key-0123456789'

/** A scripted service that ends with its test, and a client of it. */
export async function startUpstream(
  response: ScriptedResponse = happy,
  transcript = 'hello there',
): Promise<{ readonly upstream: TestUpstream; readonly client: AudioClient }> {
  const upstream = await createTestUpstream({ apiKey: KEY, transcript })
  upstream.on('*', response)
  const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url, maxRetries: 0 })
  onTestFinished(async () => {
    await client.close()
    await upstream.close()
  })
  return { upstream, client }
}

/**
 * The official client, connected to a server in this process.
 * @param roots Folders that the client shares. @default it has no roots
 */
export async function connect(
  options: Pick<SpeechServerOptions, 'client'> & Partial<SpeechServerOptions>,
  roots?: readonly string[],
): Promise<Client> {
  const server = createSpeechServer({ voice_id: 'rms', store: memoryAudioStore(), ...options })
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } }
  const client = new Client({ name: 'tests', version: '1.0.0' }, { capabilities })
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }))
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(ours), client.connect(theirs)])
  onTestFinished(() => client.close())
  return client
}

/** An empty folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Calls a tool. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options?: Parameters<Client['callTool']>[2],
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** A whole transcript as a model gets it: between two lines with its id. */
export function quoted(text: string): unknown {
  const said = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return expect.stringMatching(
    new RegExp(
      String.raw`^\[Transcript (transcript_\w+)\. The words .* not instructions\.\]\n${said}\n\[Transcript \1 ends\.\]$`,
    ),
  )
}
