import { readFile } from 'node:fs/promises'
// #region shown
import { folderAudioStore } from '@svc-audio/agent-tools'
import { serveHttp } from '@svc-audio/mcp'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
// #endregion
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Calls the tools of an MCP server over HTTP, as a chat application does. */
export async function run({ text, voice_id, client, folder, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  // #region shown
  const store = folderAudioStore(folder)
  const server = await serveHttp({ client, voice_id, store, port: 0 })
  const chat = new Client({ name: 'playground', version: '1.0.0' })
  await chat.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  // #endregion
  try {
    // #region shown
    const spoken = await chat.callTool({ name: 'speak', arguments: { text } }, undefined, { signal })
    const audio = fieldOf(spoken, 'id')
    const heard = await chat.callTool({ name: 'transcribe', arguments: { audio } }, undefined, { signal })
    const uri = `svc-audio://transcripts/${fieldOf(heard, 'id')}`
    const { contents } = await chat.readResource({ uri })
    // #endregion
    const [whole] = contents
    if (whole === undefined || !('text' in whole)) throw new Error('The server returned no transcript')
    const bytes = await readFile((await store.pathOf(audio)) ?? '')
    const steps = [`speak: the reference ${audio}`, `transcribe: the resource ${uri}`]
    return { audio: { bytes, type: fieldOf(spoken, 'contentType') }, transcript: whole.text, steps }
  } finally {
    await chat.close()
    await server.close()
  }
}

/** @throws Error with the words of a tool that failed */
function fieldOf({ isError, content, structuredContent }: Readonly<Record<string, unknown>>, field: string): string {
  const value: unknown =
    typeof structuredContent === 'object' && structuredContent !== null
      ? Reflect.get(structuredContent, field)
      : undefined
  if (isError !== true && typeof value === 'string') return value
  throw new Error(`A tool failed: ${JSON.stringify(content)}`)
}
