import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { memoryAudioStore } from '@svc-audio/agent-tools'
import { audioBytes, json, silence, status, toneWav } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { callTool, connect, KEY, startUpstream, textOf, quoted } from './support.ts'

describe('tools/list', () => {
  test('lists each tool with a schema and hints', async () => {
    const { client } = await startUpstream()
    const { tools } = await (await connect({ client })).listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'speak',
      'transcribe',
      'read_transcript',
      'start_transcription',
      'get_transcription',
    ])
    expect(tools[0]).toMatchObject({
      title: 'Speak',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: false, destructiveHint: false },
    })
    expect(tools[2]).toMatchObject({ inputSchema: { required: ['reference'] }, annotations: { readOnlyHint: true } })
    expect(JSON.stringify(tools)).not.toContain(KEY)
  })

  test('tools/list has the voices that the application lists', async () => {
    const { client } = await startUpstream()
    const voices = [{ name: 'Anna', voice_id: 'slt', description: 'calm' }]
    const mcp = await connect({ client, voices })
    const { tools } = await mcp.listTools()
    expect(tools.map(({ name }) => name)).toContain('speak_dialogue')
    expect(textOf(await callTool(mcp, 'list_voices', {}))).toBe('Anna: calm')
  })
})

describe('tools/call', () => {
  test('tools/call speaks, links the audio, and transcribes the reference', async () => {
    const { client } = await startUpstream()
    const mcp = await connect({ client })
    const changed: unknown[] = []
    mcp.setNotificationHandler(ResourceListChangedNotificationSchema, (note) => void changed.push(note))
    const spoken = await callTool(mcp, 'speak', { text: '**Hello** there.' })
    const [, reference = ''] = /Reference: (\S+)$/.exec(textOf(spoken)) ?? []
    const uri = `svc-audio://audio/${reference}`
    expect(spoken).toMatchObject({
      content: [{ type: 'text' }, { type: 'resource_link', uri, mimeType: 'audio/wav' }],
      structuredContent: { type: 'audio', id: reference },
    })
    expect(changed).toHaveLength(1)
    const { resources } = await mcp.listResources()
    expect(resources).toMatchObject([{ uri }])
    const { contents } = await mcp.readResource({ uri })
    const [content] = contents
    const blob = content !== undefined && 'blob' in content ? Buffer.from(content.blob, 'base64') : undefined
    expect(blob?.subarray(0, 4).toString()).toBe('RIFF')
    const heard = await callTool(mcp, 'transcribe', { audio: reference })
    expect(textOf(heard)).toEqual(quoted('hello there'))
    const { id } = heard.structuredContent as { id: string }
    const transcript = await mcp.readResource({ uri: `svc-audio://transcripts/${id}` })
    expect(transcript.contents).toMatchObject([{ mimeType: 'text/plain', text: 'hello there' }])
  })

  test.each([
    ['a wrong argument', 'speak', { words: 'x' }, 'invalid_arguments', /Give the words to speak as "text"/],
    ['an unspeakable text', 'speak', { text: '\u{1F389}' }, 'invalid_text', /Write words/],
    ['ten million characters', 'speak', { text: 'x'.repeat(10_000_000) }, 'text_too_long', /Split it/],
    ['a loopback address', 'transcribe', { audio: 'https://2130706433/' }, 'private_url', /refused/],
    ['a file URL', 'transcribe', { audio: 'file:///etc/passwd' }, 'invalid_url', /public https URL/],
    ['a path', 'transcribe', { audio: '../../etc/passwd' }, 'audio_not_found', /no audio with this reference/],
  ])('%s is an error that the model can act on, and nothing is sent', async (_, name, args, code, sentence) => {
    const { client, upstream } = await startUpstream()
    const result = await callTool(await connect({ client }), name, args)
    expect(result).toMatchObject({ isError: true, structuredContent: { code, retryable: false } })
    expect(textOf(result)).toMatch(sentence)
    expect(upstream.requests).toEqual([])
  })

  test('an error of the service shows neither key nor text of the service', async () => {
    const { client } = await startUpstream(status(500, { error: { message: `${KEY} at /srv` } }))
    const result = await callTool(await connect({ client }), 'speak', { text: 'Hello.' })
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'service_failed' } })
    expect(JSON.stringify(result)).not.toMatch(/secret-key|\/srv/)
  })

  test('an unknown tool is a protocol error', async () => {
    const { client } = await startUpstream()
    await expect(callTool(await connect({ client }), 'sing', {})).rejects.toThrow('There is no tool of this name')
  })

  test('a cancelled call ends the request upstream', async () => {
    const { client, upstream } = await startUpstream(silence)
    const mcp = await connect({ client })
    const controller = new AbortController()
    const call = callTool(mcp, 'speak', { text: 'Hello.' }, { signal: controller.signal })
    const ended = call.catch((error: unknown) => error)
    const request = await upstream.waitForRequest()
    controller.abort('enough')
    await expect(ended).resolves.toMatchObject({ message: expect.stringContaining('enough') })
    await expect(request.closed()).resolves.toBe('closedByClient')
  })

  test('tools/call progress is reported with a progress token, always growing', async () => {
    const { client } = await startUpstream(audioBytes(toneWav(60), 'audio/wav'))
    const reports: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void reports.push(progress)
    await callTool(await connect({ client }), 'speak', { text: 'Hello.' }, { onprogress })
    expect(reports.length).toBeGreaterThan(1)
    expect(reports).toEqual(reports.toSorted((a, b) => a - b))
  })
})

describe('resources/read', () => {
  test.each([
    'svc-audio://audio/none',
    'svc-audio://audio/../../etc/passwd',
    'svc-audio://transcripts/x',
    'file:///etc/passwd',
  ])('%s is not found', async (uri) => {
    const { client } = await startUpstream()
    await expect((await connect({ client })).readResource({ uri })).rejects.toMatchObject({ code: -32002 })
  })

  test('a user reads nothing of another user', async () => {
    const { client } = await startUpstream(json({ text: 'my secret' }))
    const store = memoryAudioStore()
    const { id } = await store.put(toneWav(1), { contentType: 'audio/wav', user: 'ann' })
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map((user) => connect({ client, store, forRun: () => ({ user }) })),
    )
    const uri = `svc-audio://audio/${id}`
    await expect(ann?.readResource({ uri })).resolves.toMatchObject({ contents: [{ mimeType: 'audio/wav' }] })
    await expect(bob?.readResource({ uri })).rejects.toThrow('no such resource')
  })
})
