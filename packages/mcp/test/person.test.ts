import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { folderAudioStore, memoryAudioStore } from '@svc-audio/agent-tools'
import { toneWav } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { findPlayer, programPlayer } from '../src/index.ts'
import { callTool, connect, startUpstream, temporaryFolder, textOf, quoted } from './support.ts'

/** A player that copies the file that it plays. */
async function recordingPlayer(
  folder: string,
): Promise<{ readonly player: ReturnType<typeof programPlayer>; readonly heard: string }> {
  const heard = join(folder, 'heard.wav')
  const program = join(folder, 'pw-play')
  await writeFile(program, `#!/bin/sh\ncp "$1" '${heard}'\n`)
  await chmod(program, 0o755)
  return { player: programPlayer(program, []), heard }
}

describe('the output of speech', () => {
  test('file names the path of the audio, in the text and in the structured content', async () => {
    const { client } = await startUpstream()
    const folder = await temporaryFolder()
    const mcp = await connect({ client, store: folderAudioStore(folder), output: 'file' })
    await mcp.listTools()
    const spoken = await callTool(mcp, 'speak', { text: 'Hello.' })
    const { id, path } = spoken.structuredContent as { id: string; path: string }
    expect(path).toBe(join(folder, id))
    expect(textOf(spoken)).toContain(`File: ${path}`)
    expect((await readFile(path)).subarray(0, 4).toString()).toBe('RIFF')
  })

  test.each(['audio', 'resource'] as const)('%s carries the audio itself', async (output) => {
    const { client } = await startUpstream()
    const mcp = await connect({ client, output })
    const { content } = await callTool(mcp, 'speak', { text: 'Hello.' })
    const block = content.find(({ type }) => type === output)
    const data =
      block?.type === 'audio'
        ? block.data
        : block?.type === 'resource' && 'blob' in block.resource
          ? block.resource.blob
          : ''
    expect(Buffer.from(data, 'base64').subarray(0, 4).toString()).toBe('RIFF')
  })

  test.each([
    ['output', { output: 'mp3' as never }],
    ['folderAudioStore', { output: 'file' as const }],
    ['player', { player: {} as never }],
    ['play', { player: programPlayer('play', []), names: { speak: 'play' } }],
  ])('a wrong option is refused with the word %s', async (word, options) => {
    const { client } = await startUpstream()
    await expect(connect({ client, store: memoryAudioStore(), ...options })).rejects.toThrow(word)
  })
})

describe('play', () => {
  test.each([
    ['a folder', async () => folderAudioStore(await temporaryFolder())],
    ['memory', async () => memoryAudioStore()],
  ])('play runs the player of the machine with audio of a store in %s', async (_, store) => {
    const { client } = await startUpstream()
    const { player, heard } = await recordingPlayer(await temporaryFolder())
    const mcp = await connect({ client, store: await store(), player })
    await mcp.listTools()
    const spoken = await callTool(mcp, 'speak', { text: 'Hello.' })
    const { id } = spoken.structuredContent as { id: string }
    const played = await callTool(mcp, 'play', { audio: `svc-audio://audio/${id}` })
    expect([textOf(played), played.structuredContent]).toEqual(['Played.', { text: 'Played.', played: id }])
    expect((await readFile(heard)).subarray(0, 4).toString()).toBe('RIFF')
  })

  test('play says what to do when the player fails, also to a client that checks results, and the operator gets the reason', async () => {
    const { client } = await startUpstream()
    const failures: unknown[] = []
    const player = programPlayer('sh', ['-c', 'echo no sound card >&2; exit 3'])
    const mcp = await connect({
      client,
      player,
      onFailure: ({ tool, error }) => failures.push([tool, String(error.cause)]),
    })
    await mcp.listTools()
    const spoken = await callTool(mcp, 'speak', { text: 'Hello.' })
    const failed = await callTool(mcp, 'play', { audio: (spoken.structuredContent as { id: string }).id })
    expect(failed).toMatchObject({ isError: true, structuredContent: { code: 'playback_failed' } })
    expect(textOf(failed)).not.toContain('sound card')
    expect(failures).toEqual([['play', 'Error: sh ended with 3: no sound card']])
    const unknown = await callTool(mcp, 'play', { audio: '../../etc/passwd' })
    expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'audio_not_found' } })
  })

  test('a cancelled call stops the player', async () => {
    const { client } = await startUpstream()
    const folder = await temporaryFolder()
    const started = join(folder, 'started')
    const mcp = await connect({ client, player: programPlayer('sh', ['-c', `touch '${started}'; exec sleep 600`]) })
    const spoken = await callTool(mcp, 'speak', { text: 'Hello.' })
    const controller = new AbortController()
    const { id } = spoken.structuredContent as { id: string }
    const call = callTool(mcp, 'play', { audio: id }, { signal: controller.signal }).catch((error: unknown) => error)
    await expect.poll(() => readFile(started, 'utf8').catch(() => undefined), { timeout: 30_000 }).toBe('')
    controller.abort('enough')
    await expect(call).resolves.toMatchObject({ message: expect.stringContaining('enough') })
  })

  test('the first known player on the PATH is found', async () => {
    const folder = await temporaryFolder()
    const { heard } = await recordingPlayer(folder)
    const audio = join(folder, 'it is.wav')
    await writeFile(audio, toneWav(0.1))
    const player = await findPlayer({ PATH: `/nowhere:${folder}` }, 'linux')
    await player?.play(audio, new AbortController().signal)
    expect([player?.name, (await readFile(heard)).length]).toEqual(['pw-play', toneWav(0.1).byteLength])
    await expect(findPlayer({ PATH: folder }, 'darwin')).resolves.toBeUndefined()
  })
})

describe('recordings of the person', () => {
  test('a file in a root of the client is transcribed by path and by file URI, and none outside', async () => {
    const { client, upstream } = await startUpstream()
    const [root, other] = [await temporaryFolder(), await temporaryFolder()]
    await mkdir(join(root, 'a b'))
    await writeFile(join(root, 'a b', 'note.wav'), toneWav(0.2))
    await writeFile(join(root, 'secret.env'), 'KEY=1')
    await writeFile(join(other, 'note.wav'), toneWav(0.2))
    const mcp = await connect({ client, clientRoots: true }, [root])
    const names = [join(root, 'a b', 'note.wav'), 'a b/note.wav', pathToFileURL(join(root, 'a b', 'note.wav')).href]
    for (const audio of names) {
      const heard = await callTool(mcp, 'transcribe', { audio })
      expect([audio, textOf(heard)]).toEqual([audio, quoted('hello there')])
    }
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    const refused = [join(other, 'note.wav'), pathToFileURL(join(other, 'note.wav')).href, join(root, 'secret.env')]
    const codes = await Promise.all(
      refused.map(async (audio) => (await callTool(mcp, 'transcribe', { audio })).structuredContent?.['code']),
    )
    expect(codes).toEqual(['path_not_allowed', 'path_not_allowed', 'audio_unreadable'])
  })

  test('a client that shares other folders later is asked again', async () => {
    const { client } = await startUpstream()
    const [first, second] = [await temporaryFolder(), await temporaryFolder()]
    await writeFile(join(second, 'note.wav'), toneWav(0.2))
    const mcp = await connect({ client, clientRoots: true }, [first])
    const audio = join(second, 'note.wav')
    expect((await callTool(mcp, 'transcribe', { audio })).isError).toBe(true)
    mcp.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(second).href }] }))
    await mcp.sendRootsListChanged()
    expect(textOf(await callTool(mcp, 'transcribe', { audio }))).toEqual(quoted('hello there'))
  })

  test('roots count only where the server runs for its client', async () => {
    const { client } = await startUpstream()
    const root = await temporaryFolder()
    await writeFile(join(root, 'note.wav'), toneWav(0.2))
    const mcp = await connect({ client }, [root])
    const heard = await callTool(mcp, 'transcribe', { audio: join(root, 'note.wav') })
    expect(heard).toMatchObject({ isError: true, structuredContent: { code: 'audio_not_found' } })
  })

  test('a resource of an earlier session is listed, read and transcribed after a restart', async () => {
    const { client } = await startUpstream()
    const folder = await temporaryFolder()
    const before = await connect({ client, store: folderAudioStore(folder) })
    const spoken = await callTool(before, 'speak', { text: 'Hello.' })
    await before.close()
    const after = await connect({ client, store: folderAudioStore(folder) })
    const { resources } = await after.listResources()
    const uri = `svc-audio://audio/${(spoken.structuredContent as { id: string }).id}`
    expect(resources).toMatchObject([{ uri, mimeType: 'audio/wav', size: expect.any(Number) }])
    await expect(after.readResource({ uri })).resolves.toMatchObject({ contents: [{ uri }] })
    expect(textOf(await callTool(after, 'transcribe', { audio: uri }))).toEqual(quoted('hello there'))
  })
})
